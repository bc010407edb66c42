import { describe, expect, test } from 'vitest';
import { accessTokenDigest, newAccessTokenValue } from '#src/auth/access-token-value.ts';
import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { issueAccessToken } from '#src/auth/issue-access-token.ts';
import { CHECK_ACCESS, tokenReader } from '#src/auth/readers.ts';
import type { Scope } from '#src/auth/scope.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();

async function issue(held: Scope, wanted: Scope, runtime: Runtime = harness.runtime) {
  const { userId } = await givenHousehold(harness);
  const { apiKey, key } = await harness.perform((work) =>
    createApiKey(work, { userId, name: 'robot', scope: held }),
  );
  return issueAccessToken(runtime, { keyId: apiKey.id, key, scope: wanted });
}

describe('the scope of a token', () => {
  test.each([
    ['read', 'read', 'read', true],
    ['read_write', 'read', 'read', true],
    ['read_write', 'read', 'read_write', 'insufficient_scope'],
    ['read_write', 'read_write', 'read_write', true],
    ['read_write', 'read_write', 'read', true],
  ] as const)('of a %s key issued for %s decides about %s: %s', async (held, wanted, needs, expected) => {
    const issued = await issue(held, wanted);
    const digest = typeof issued === 'string' ? undefined : accessTokenDigest(issued.token);
    const used: string[] = [];

    const outcome = await tokenReader(harness.runtime, { digest: digest ?? Buffer.of(), needs }, (id) =>
      used.push(id),
    )
      .read(CHECK_ACCESS, [])
      .then(
        () => true,
        (error: { code: string }) => error.code,
      );

    expect(outcome).toBe(expected);
    expect(used).toEqual(typeof issued === 'string' ? [] : [issued.keyId]);
  });

  test('is never more than that of the key', async () => {
    expect(await issue('read', 'read_write')).toBe('scope_exceeded');
  });
});

test('many at once neither wait for each other nor fail, and sweep out what has expired', async () => {
  const { userId } = await givenHousehold(harness);
  const { apiKey, key } = await harness.perform((work) =>
    createApiKey(work, { userId, name: 'robot', scope: 'read' }),
  );
  await harness.query(
    `insert into access_tokens (digest, api_key_id, scope, created_at, expires_at)
     select sha256(n::text::bytea), $1, 'read', now(), now() from generate_series(1, 2000) n`,
    [apiKey.id],
  );

  const issued = await Promise.all(
    Array.from({ length: 8 }, () => issueAccessToken(harness.runtime, { keyId: apiKey.id, key })),
  );

  expect(issued.every((outcome) => typeof outcome === 'object')).toBe(true);
  expect(await harness.query('select 1 from access_tokens')).toHaveLength(8);
});

test('works without named statements too', async () => {
  const { runtime } = harness;
  const database = { ...runtime.config.database, namedStatements: false };

  expect(await issue('read', 'read', { ...runtime, config: { ...runtime.config, database } })).toMatchObject({
    scope: 'read',
    expiresIn: 3600,
  });
});

test.each([
  '',
  'fin_at_',
  `fin_at_${'a'.repeat(42)}`,
  `fin_at_${'a'.repeat(44)}`,
  `fin_${'a'.repeat(43)}`,
  ` fin_at_${'a'.repeat(43)}`,
])('%j is no token', (value) => {
  expect(accessTokenDigest(value)).toBeUndefined();
});

test('no token is ever taken for a key', () => {
  const token = newAccessTokenValue();

  expect(accessTokenDigest(token)).toHaveLength(32);
  expect(apiKeyDigest(token)).toBeUndefined();
});
