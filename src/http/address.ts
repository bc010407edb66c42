import { isIPv6 } from 'node:net';
import type { Context } from '#src/http/state.ts';

/** Where a request comes from, as far as the trusted proxies know it; IPv4 without its IPv6 wrapping. */
export function addressOf({ ip }: Pick<Context, 'ip'>): string {
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;
}

/** Whom limits count as one: an IPv4 address, or the network of 64 bits that an IPv6 subscriber has to themselves. */
export function sourceOf(ctx: Pick<Context, 'ip'>): string {
  const address = addressOf(ctx);
  return isIPv6(address) ? `${firstHalf(address)}::/64` : address;
}

/** The first four groups, written out. */
function firstHalf(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  const all = [...groups, ...Array<string>(Math.max(missing, 0)).fill('0'), ...(tail ?? '').split(':')];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':');
}
