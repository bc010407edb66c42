import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** `refused`: link-local, metadata services of clouds, multicast, unspecified, reserved, and what is no address. */
export type AddressClass = 'public' | 'private' | 'loopback' | 'refused';

const REFUSED = blockList(
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata and platform services outside the link-local range: Alibaba, Oracle, Azure.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  // AWS and Google, inside the private range of IPv6.
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'fe80::/10',
  'ff00::/8',
);

const LOOPBACK = blockList('127.0.0.0/8', '::1/128');

const PRIVATE = blockList(
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '198.18.0.0/15',
  'fc00::/7',
  'fec0::/10',
);

const GLOBAL_IPV6 = blockList('2000::/3');

/** What an IP address leads to (decisions, section 3: Outbound requests). An IPv4 address inside an IPv6 one counts. */
export function classifyAddress(address: string): AddressClass {
  const [bare = ''] = address.split('%');
  if (isIPv4(bare)) return classify(bare, 'ipv4');
  if (!isIPv6(bare)) return 'refused';

  const words = toWords(bare);
  const embedded = findEmbedded(words);
  if (embedded?.kind === 'mapped') return classify(embedded.address, 'ipv4');
  if (embedded) return classify(embedded.address, 'ipv4') === 'public' ? 'public' : 'refused';

  const found = classify(bare, 'ipv6');
  return found === 'public' && !GLOBAL_IPV6.check(bare, 'ipv6') ? 'refused' : found;
}

function classify(address: string, family: 'ipv4' | 'ipv6'): AddressClass {
  if (REFUSED.check(address, family)) return 'refused';
  if (LOOPBACK.check(address, family)) return 'loopback';
  return PRIVATE.check(address, family) ? 'private' : 'public';
}

/** ::ffff:a.b.c.d is that address; NAT64 (RFC 6052) and 6to4 (RFC 3056) lead to one, Teredo (RFC 4380) is never used. */
function findEmbedded(words: number[]): { kind: 'mapped' | 'translated'; address: string } | undefined {
  const starts = (...prefix: number[]) => prefix.every((word, index) => words[index] === word);
  const ipv4At = (index: number) =>
    words
      .slice(index, index + 2)
      .flatMap((word) => [word >> 8, word & 255])
      .join('.');

  if (starts(0, 0, 0, 0, 0, 0xffff)) return { kind: 'mapped', address: ipv4At(6) };
  if (starts(0x64, 0xff9b, 0, 0, 0, 0)) return { kind: 'translated', address: ipv4At(6) };
  if (starts(0x2002)) return { kind: 'translated', address: ipv4At(1) };
  if (starts(0x2001, 0)) return { kind: 'translated', address: '0.0.0.0' };
  return undefined;
}

/** The eight words of an IPv6 address; URL writes it without dots and with at most one `::`. */
function toWords(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const left = parseWords(head);
  const right = parseWords(tail ?? '');
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function parseWords(part: string): number[] {
  return part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
}

function blockList(...subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', prefix] = subnet.split('/');
    list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}
