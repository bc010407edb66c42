import { describe, expect, test } from 'vitest';
import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { createApiKey, type NewApiKey } from '#src/auth/create-api-key.ts';
import { listApiKeys } from '#src/auth/list-api-keys.ts';
import { CHECK_ACCESS, familyReader, keyReader } from '#src/auth/readers.ts';
import { revokeApiKey } from '#src/auth/revoke-api-key.ts';
import { covers } from '#src/auth/scope.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();

async function givenUser() {
  const { userId, email } = await givenHousehold(harness);
  return {
    userId,
    email,
    create: (key: Partial<NewApiKey> = {}) =>
      harness.perform((work) => createApiKey(work, { userId, name: 'laptop', scope: 'read', ...key })),
    revoke: (id: string) => harness.perform((work) => revokeApiKey(work, { id })),
    list: () => harness.perform((work) => listApiKeys(work, { userId })),
  };
}

async function opens(key: string, needs: 'read' | 'read_write' = 'read'): Promise<boolean | string> {
  const digest = apiKeyDigest(key);
  if (!digest) return false;
  const used: string[] = [];
  return keyReader(harness.runtime, { digest, needs }, (id) => used.push(id))
    .read(CHECK_ACCESS, [])
    .then(
      () => used.length === 1,
      (error: { code: string }) => error.code,
    );
}

describe('a new key', () => {
  test('opens the API, is 256 random bits, and is kept only as a digest', async () => {
    const { create } = await givenUser();
    const { key } = await create();

    expect(key).toMatch(/^fin_[\w-]{43}$/);
    expect(await opens(key)).toBe(true);
    const everything = JSON.stringify(await harness.query('select * from api_keys'));
    expect(everything).not.toContain(key);
    expect(everything).not.toContain(key.slice(4, 20));
  });

  test('is listed by its first and last characters', async () => {
    const { create, list, email } = await givenUser();
    const { key } = await create();

    const [newest] = await list();
    expect(newest).toMatchObject({ email, name: 'laptop', display: `${key.slice(0, 8)}…${key.slice(-4)}` });
    expect(newest?.lastUsedAt).toBeNull();
    await create({ name: 'phone' });
    expect((await list()).map(({ name }) => name)).toEqual(['phone', 'laptop', 'test']);
  });

  test.each([
    ['an empty name', { name: ' ' }],
    ['a long name', { name: 'x'.repeat(101) }],
    ['a control character in the name', { name: 'a\u001bb' }],
    ['a scope there is not', { scope: 'write' }],
    ['an expiry in the past', { expiresAt: new Date(0) }],
  ])('is refused with %s', async (_, key) => {
    const { create } = await givenUser();

    await expect(create(key)).rejects.toMatchObject({ code: 'validation_failed' });
  });

  test('needs a name that no active key of the user has', async () => {
    const { create, revoke } = await givenUser();
    const { apiKey } = await create();

    await expect(create()).rejects.toMatchObject({ code: 'validation_failed' });
    await revoke(apiKey.id);
    expect((await create()).key).toMatch(/^fin_/);
  });
});

describe('a key stops opening the API', () => {
  test('when it is revoked, and a second revocation keeps the time of the first', async () => {
    const { create, revoke } = await givenUser();
    const { apiKey, key } = await create();
    const { revokedAt } = await revoke(apiKey.id);

    expect(await opens(key)).toBe('unauthorized');
    expect((await revoke(apiKey.id)).revokedAt).toEqual(revokedAt);
  });

  test('when it expires', async () => {
    const { create } = await givenUser();
    const { key, apiKey } = await create({ expiresAt: new Date(Date.now() + 60_000) });
    expect(await opens(key)).toBe(true);

    await harness.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [
      apiKey.id,
    ]);
    expect(await opens(key)).toBe('unauthorized');
  });

  test('when its owner is suspended or deleted', async () => {
    const { userId, create } = await givenUser();
    const { key } = await create();
    await harness.query('update users set suspended_at = now() where id = $1', [userId]);
    expect(await opens(key)).toBe('unauthorized');
    await harness.query('update users set suspended_at = null where id = $1', [userId]);
    expect(await opens(key)).toBe(true);

    await harness.query('delete from users where id = $1', [userId]);
    expect(await opens(key)).toBe('unauthorized');
  });

  test.each([
    '',
    'fin_',
    'fin_short',
    `fin_${'a'.repeat(44)}`,
    `FIN_${'a'.repeat(43)}`,
    `fin_${'a'.repeat(42)}!`,
  ])('and %j never did', async (key) => {
    expect(apiKeyDigest(key)).toBeUndefined();
    expect(await opens(key)).toBe(false);
  });

  test('where its scope does not reach', async () => {
    const { create } = await givenUser();
    const { key: read } = await create();
    const { key: write } = await create({ name: 'writer', scope: 'read_write' });

    expect(await opens(read, 'read_write')).toBe('insufficient_scope');
    expect(await opens(write, 'read_write')).toBe(true);
    expect(await opens(write, 'read')).toBe(true);
  });

  test('and hears which scope it needs', async () => {
    const { create } = await givenUser();
    const digest = apiKeyDigest((await create()).key) ?? Buffer.of();
    const used: string[] = [];
    const reader = keyReader(harness.runtime, { digest, needs: 'read_write' }, (id) => used.push(id));

    await expect(reader.read(CHECK_ACCESS, [])).rejects.toThrow('"read_write"');
    expect(used).toHaveLength(1);
  });
});

test.each([
  ['read', 'read', true],
  ['read', 'read_write', false],
  ['read_write', 'read', true],
  ['read_write', 'read_write', true],
  ['', 'read', false],
] as const)('a key with %j covers %s: %s', (held, needed, expected) => {
  expect(covers(held, needed)).toBe(expected);
});

test.each(['nonsense', '0198c000-0000-7000-8000-000000000000'])('revoking %s finds nothing', async (id) => {
  const { revoke } = await givenUser();

  await expect(revoke(id)).rejects.toMatchObject({ code: 'not_found' });
});

test('a reader of a family that there is not says so', async () => {
  await expect(
    familyReader(harness.runtime, '0198c000-0000-7000-8000-000000000000').read(CHECK_ACCESS, []),
  ).rejects.toMatchObject({ code: 'not_found' });
});
