import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeEmail, requireEmail } from '#src/users/email.ts';

test.each([
  [' Ada@Example.COM ', 'ada@example.com'],
  ['bj\u00f6rn@example.com', 'bj\u00f6rn@example.com'],
  ['ada@B\u00dcCHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
  ['ADA@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
  ['ada@10.1', 'ada@10.1'],
])('%j is kept as %s', (given, kept) => {
  expect(requireEmail(given)).toBe(kept);
});

test.each([
  '\u212aate@example.com',
  'Bj\u00d6rn@example.com',
  '\u0130@example.com',
  'a@b@c',
  'a@b\u3002c',
  'a@b\u200dc',
  'nobody',
  '',
])('%j is refused rather than folded into another mailbox', (given) => {
  expect(() => requireEmail(given)).toThrow('is not an email address');
});

test('only A to Z change their case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const local = text.replaceAll('@', '');
      expect(normalizeEmail(local).replace(/[a-z]/g, '')).toBe(local.trim().replace(/[a-zA-Z]/g, ''));
    }),
  );
});

test('is the same once it is normal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (local, domain) => {
      const once = normalizeEmail(`${local}@${domain}`);
      expect(normalizeEmail(once)).toBe(once);
    }),
  );
});
