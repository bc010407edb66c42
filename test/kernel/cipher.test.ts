import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCipher, type Place } from '#src/kernel/cipher.ts';
import { AppError } from '#src/kernel/errors.ts';

const BASE = 'a secret key base of more than thirty-two characters';
const place: Place = { table: 'sso_providers', column: 'secrets.client_secret', row: 'okta' };

const withBase = (base = BASE) => createCipher(undefined, () => base);
const withKeys = (primaryKeys: string[], { salt = 'a salt', base = BASE } = {}) =>
  createCipher({ primaryKeys, salt }, () => base);

function refusal(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it must be refused');
}

const missing = () => {
  throw new AppError('configuration_invalid', 'SECRET_KEY_BASE is not set');
};

describe('what is sealed', () => {
  test('comes back as it was, whatever it is and wherever it is kept', () => {
    const cipher = withBase();
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.string(),
        fc.string(),
        (secret, table, column, row) => {
          const where = { table, column, row };
          expect(cipher.open(cipher.seal(secret, where), where)).toBe(secret);
        },
      ),
    );
  });

  test('does not show the secret, and is never the same twice', () => {
    const cipher = withBase();
    const [first, second] = [cipher.seal('hunter2', place), cipher.seal('hunter2', place)];

    expect(first).not.toBe(second);
    expect(first).not.toContain('hunter2');
    expect(Buffer.from(first.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('hunter2');
  });

  test.each<[string, Partial<Place>]>([
    ['table', { table: 'identities' }],
    ['column', { column: 'secrets.private_key' }],
    ['row', { row: 'google' }],
  ])('cannot be opened in another %s', (_, elsewhere) => {
    const cipher = withBase();
    const sealed = cipher.seal('hunter2', place);

    expect(refusal(() => cipher.open(sealed, { ...place, ...elsewhere }))).toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('moved'),
    });
  });

  test('cannot be opened with a single bit changed', () => {
    const cipher = withBase();
    const [version, id, payload = ''] = cipher.seal('hunter2', place).split('.');
    const bytes = Buffer.from(payload, 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      const text = `${version}.${id}.${changed.toString('base64url')}`;
      expect(refusal(() => cipher.open(text, place)).code).toBe('configuration_invalid');
    }
  });

  test.each(['hunter2', '', 'v1.abc', 'v2.000000000000.AAAA', 'v1.000000000000.AAAA'])(
    'plain text is refused, not passed on: %j',
    (text) => {
      const { code, message } = refusal(() => withBase().open(text, place));

      expect(code).toBe('configuration_invalid');
      if (text) expect(message).not.toContain(text);
    },
  );
});

describe('the keys', () => {
  test('another secret key base opens nothing, and the refusal says where and what to do', () => {
    const sealed = withBase('another secret key base of thirty-two').seal('hunter2', place);

    const error = refusal(() => withBase().open(sealed, place));
    expect(error).toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(/secrets\.client_secret of okta in sso_providers.*another key/),
      hint: expect.stringContaining('SECRET_KEY_BASE'),
    });
    expect(error.message + error.hint).not.toContain('hunter2');
  });

  test('the first encrypts, all decrypt', () => {
    const old = withKeys(['the old key']);
    const both = withKeys(['the new key', 'the old key']);
    const fresh = withKeys(['the new key']);

    const sealedBefore = old.seal('hunter2', place);
    const sealedNow = both.seal('hunter2', place);

    expect(both.open(sealedBefore, place)).toBe('hunter2');
    expect([both.isCurrent(sealedBefore), both.isCurrent(sealedNow)]).toEqual([false, true]);
    expect(fresh.open(sealedNow, place)).toBe('hunter2');
    expect(refusal(() => fresh.open(sealedBefore, place)).code).toBe('configuration_invalid');
  });

  test('the salt is part of them', () => {
    const sealed = withKeys(['the key'], { salt: 'one' }).seal('hunter2', place);

    expect(refusal(() => withKeys(['the key'], { salt: 'two' }).open(sealed, place)).message).toContain(
      'another key',
    );
  });

  test('can be introduced later: what the secret key base encrypted is still read', () => {
    const sealed = withBase().seal('hunter2', place);
    const later = withKeys(['the key']);

    expect(later.open(sealed, place)).toBe('hunter2');
    expect(later.isCurrent(sealed)).toBe(false);
  });

  test('are enough without a secret key base', () => {
    const cipher = createCipher({ primaryKeys: ['the key'], salt: 'a salt' }, missing);

    expect(cipher.open(cipher.seal('hunter2', place), place)).toBe('hunter2');
    expect(refusal(() => cipher.open(withBase().seal('hunter2', place), place)).message).toContain(
      'another key',
    );
    expect(refusal(() => createCipher(undefined, missing).seal('hunter2', place)).message).toContain(
      'SECRET_KEY_BASE',
    );
  });
});
