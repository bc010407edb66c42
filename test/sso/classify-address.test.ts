import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AddressClass, classifyAddress } from '#src/sso/outbound/classify-address.ts';

test.each<[string, AddressClass]>([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['198.18.0.1', 'private'],
  ['::ffff:10.1.2.3', 'private'],
  ['fc00::1', 'private'],
  ['fd12:3456::1', 'private'],
  ['fec0::1', 'private'],
  ['8.8.8.8', 'public'],
  ['172.15.255.255', 'public'],
  ['172.32.0.1', 'public'],
  ['100.63.255.255', 'public'],
  ['169.253.255.255', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['2606:4700::1111', 'public'],
  ['64:ff9b::8.8.8.8', 'public'],
  ['2002:808:808::1', 'public'],
  ['169.254.169.254', 'refused'],
  ['169.254.0.1', 'refused'],
  ['::ffff:169.254.169.254', 'refused'],
  ['::ffff:a9fe:a9fe', 'refused'],
  ['0:0:0:0:0:ffff:a9fe:a9fe', 'refused'],
  ['64:ff9b::169.254.169.254', 'refused'],
  ['64:ff9b::127.0.0.1', 'refused'],
  ['64:ff9b::10.0.0.1', 'refused'],
  ['64:ff9b:1::1', 'refused'],
  ['2002:a9fe:a9fe::1', 'refused'],
  ['2002:7f00:1::', 'refused'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'refused'],
  ['::127.0.0.1', 'refused'],
  ['fe80::1', 'refused'],
  ['fe80::1%eth0', 'refused'],
  ['febf::1', 'refused'],
  ['fd00:ec2::254', 'refused'],
  ['fd20:ce::254', 'refused'],
  ['100.100.100.200', 'refused'],
  ['168.63.129.16', 'refused'],
  ['192.0.0.192', 'refused'],
  ['0.0.0.0', 'refused'],
  ['::', 'refused'],
  ['224.0.0.1', 'refused'],
  ['255.255.255.255', 'refused'],
  ['240.0.0.1', 'refused'],
  ['ff02::1', 'refused'],
  ['100::1', 'refused'],
  ['localhost', 'refused'],
  ['127.1', 'refused'],
  ['', 'refused'],
])('%s is %s', (address, wanted) => {
  expect(classifyAddress(address)).toBe(wanted);
});

const hex = (high: number, low: number) => ((high << 8) | low).toString(16);

describe('an IPv4 address', () => {
  const octet = fc.nat(255);
  const ipv4 = fc.tuple(octet, octet, octet, octet);

  test('is what it is in every spelling inside an IPv6 address', () => {
    fc.assert(
      fc.property(ipv4, ([a, b, c, d]) => {
        const dotted = [a, b, c, d].join('.');
        const wanted = classifyAddress(dotted);

        expect(classifyAddress(`::ffff:${dotted}`)).toBe(wanted);
        expect(classifyAddress(`0:0:0:0:0:FFFF:${hex(a, b)}:${hex(c, d)}`)).toBe(wanted);
      }),
    );
  });

  test('is reached through a translator only when it is public', () => {
    fc.assert(
      fc.property(ipv4, ([a, b, c, d]) => {
        const wanted = classifyAddress([a, b, c, d].join('.')) === 'public' ? 'public' : 'refused';

        expect(classifyAddress(`64:ff9b::${a}.${b}.${c}.${d}`)).toBe(wanted);
        expect(classifyAddress(`2002:${hex(a, b)}:${hex(c, d)}::1`)).toBe(wanted);
      }),
    );
  });

  test('that is link-local is never anything else', () => {
    fc.assert(
      fc.property(octet, octet, (c, d) => {
        expect(classifyAddress(`169.254.${c}.${d}`)).toBe('refused');
      }),
    );
  });
});

test('whatever is asked, there is an answer', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => {
      expect(['public', 'private', 'loopback', 'refused']).toContain(classifyAddress(text));
    }),
  );
});
