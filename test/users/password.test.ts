import { argon2Sync, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashPassword, isOutdated, rehashPassword, verifyPassword } from '#src/users/password.ts';

const plain = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/** A digest as another release with other costs would have made it. */
function digestWith(password: string, memory: number, passes: number): string {
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce,
    tagLength: 32,
    memory,
    passes,
    parallelism: 1,
  });
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${plain(nonce)}$${plain(tag)}`;
}

describe('a password', () => {
  test('is kept as argon2id with at least 19 MiB, two passes and a salt of its own', async () => {
    const [one, two] = await Promise.all([
      hashPassword('a very private sentence'),
      hashPassword('a very private sentence'),
    ]);

    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(two).not.toBe(one);
  });

  test('is verified, whatever way its letters were composed', async () => {
    const digest = await hashPassword('cafe\u0301 au lait s.v.p.');

    expect(await verifyPassword('caf\u00e9 au lait s.v.p.', digest)).toBe(true);
    expect(await verifyPassword('cafe au lait s.v.p.', digest)).toBe(false);
  });

  test.each([null, '', 'plain', '$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA'])(
    'is nobody’s with the digest %j',
    async (digest) => {
      expect(await verifyPassword('', digest)).toBe(false);
      expect(await verifyPassword('a very private sentence', digest)).toBe(false);
    },
  );

  test('of an older cost is still right, and known to be outdated', async () => {
    const old = digestWith('a very private sentence', 9_216, 4);

    expect(await verifyPassword('a very private sentence', old)).toBe(true);
    expect(isOutdated(old)).toBe(true);
    expect(isOutdated(await rehashPassword('short'))).toBe(false);
  });
});

describe('a new password', () => {
  test.each([
    ['eleven char', 'a password must have 12 to 256 characters'],
    ['x'.repeat(257), 'a password must have 12 to 256 characters'],
    ['Password1234', 'one of the commonest'],
    ['aaaaaaaaaaaa', 'it repeats a few characters'],
    ['abcabcabcabcab', 'it repeats a few characters'],
    ['123456789012', 'it is a sequence of characters'],
    ['zyxwvutsrqpo', 'it is a sequence of characters'],
    ['qwertyuiopqw', 'it is a sequence of characters'],
    ['ada.lovelace@example.com', 'it is made of the email address'],
    ['Ada.Lovelace1!', 'it is made of the email address'],
    ['ada.lovelaceexample', 'it is made of the email address'],
  ])('%j is refused: %s', async (password, reason) => {
    await expect(hashPassword(password, { email: 'ada.lovelace@example.com' })).rejects.toThrow(reason);
  });

  test.each(['x7#kdue92.pq', 'correct horse staple', 'ada.lovelace likes engines'])(
    '%j is taken',
    async (password) => {
      await expect(hashPassword(password, { email: 'ada.lovelace@example.com' })).resolves.toMatch(
        /^\$argon2id/,
      );
    },
  );
});

test('too many hashes at once are refused instead of piling up', async () => {
  const many = Array.from({ length: 60 }, () => verifyPassword('a guess', null));

  const outcomes = await Promise.allSettled(many);

  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(15);
  expect(refused.map((outcome) => Object(outcome).reason.code)).toEqual(
    refused.map(() => 'service_unavailable'),
  );
  expect(await verifyPassword('a guess', null)).toBe(false);
});
