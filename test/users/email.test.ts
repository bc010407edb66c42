import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeEmail, requireEmail } from '#src/users/email.ts';

test.each([
  [' Ada@Example.COM ', 'ada@example.com'],
  ['bj\u00f6rn@example.com', 'bj\u00f6rn@example.com'],
])('%j is kept as %s', (given, kept) => {
  expect(requireEmail(given)).toBe(kept);
});

test.each(['\u212aate@example.com', 'Bj\u00d6rn@example.com', '\u0130@example.com', 'a@b@c', 'nobody', ''])(
  '%j is refused rather than folded into another mailbox',
  (given) => {
    expect(() => requireEmail(given)).toThrow('is not an email address');
  },
);

test('only A to Z change their case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(normalizeEmail(text).replace(/[a-z]/g, '')).toBe(text.trim().replace(/[a-zA-Z]/g, ''));
    }),
  );
});
