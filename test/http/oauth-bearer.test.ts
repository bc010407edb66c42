import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { revokeApiKey } from '#src/auth/revoke-api-key.ts';
import { createLog } from '#src/kernel/log.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';
import { givenLedger, givenRejectedTransfer, type Ledger } from '#test/http/given-ledger.ts';
import { askRaw, givenBearer } from '#test/http/oauth-client.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
let elsewhere: Runtime;
let served: Served;
let other: Served;
let ledger: Ledger;
let bearer: { Authorization: string };
const run = (sql: string) => harness.query(sql, [ledger.keyId]);
const get = (path: string, headers: Record<string, string> = bearer) => served.ask(path, { headers });

beforeAll(async () => {
  const config = loadConfig({ DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE });
  elsewhere = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 8_000 });
  served = await serve(harness.runtime);
  other = await serve(elsewhere);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await elsewhere.close();
});
beforeEach(async () => {
  ledger = await givenLedger(harness);
  bearer = await givenBearer(served, ledger);
});

describe('a bearer token', () => {
  test('opens what its key opens, in every process', async () => {
    const id = await givenRejectedTransfer(harness, ledger);

    for (const path of [
      '/api/v1/accounts',
      '/api/v1/transactions?search=pay',
      '/api/v1/rejected_transfers?start_date=2026-01-01',
      `/api/v1/rejected_transfers/${id}`,
    ]) {
      const byKey = await get(path, ledger.headers);
      const byToken = await other.ask(path, { headers: bearer });
      expect(byToken.status).toBe(200);
      expect(byToken.text).toBe(byKey.text);
    }
    expect((await served.ask('/api/v1/accounts', { method: 'HEAD', headers: bearer })).status).toBe(200);
  });

  test.each(['bearer', 'BEARER', 'BeArEr  '])('may be announced as %j', async (scheme) => {
    const Authorization = bearer.Authorization.replace('Bearer', scheme);

    expect((await get('/api/v1/accounts', { Authorization })).status).toBe(200);
  });

  test('sees no other family', async () => {
    const stranger = await givenLedger(harness);

    expect((await get(`/api/v1/accounts/${stranger.checking}`)).status).toBe(404);
  });

  test('hears what is wrong with a filter, and is then asked nothing more', async () => {
    expect((await get('/api/v1/transactions?account_id=x')).status).toBe(422);
  });

  test('counts as a use of its key', async () => {
    await using own = await serve(harness.runtime);
    await harness.query('update api_keys set last_used_at = null');
    await own.ask('/api/v1/accounts', { headers: bearer });
    await own.app.close();

    expect(await harness.query('select 1 from api_keys where last_used_at is not null')).toHaveLength(1);
  });

  test('shares the limit of its key', async () => {
    const { runtime } = harness;
    const http = { ...runtime.config.http, apiRateLimit: 2 };
    await using limited = await serve({ ...runtime, config: { ...runtime.config, http } });
    const ask = (headers: Record<string, string>) => limited.ask('/api/v1/accounts', { headers });

    const answers = [await ask(ledger.headers), await ask(bearer), await ask(bearer), await ask({})];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 401]);
    expect(answers[1]?.headers.get('X-RateLimit-Remaining')).toBe('0');
    expect(answers[3]?.headers.get('WWW-Authenticate')).toBe('Bearer realm="api"');
  });
});

describe('a bearer token ends at once, in every process,', () => {
  const OF_USER = 'where id = (select user_id from api_keys where id = $1)';

  test.each<[string, () => Promise<unknown>]>([
    ['when its key is revoked', () => harness.perform((work) => revokeApiKey(work, { id: ledger.keyId }))],
    ['when its key expires', () => run('update api_keys set expires_at = now() where id = $1')],
    ['when its key is deleted', () => run('delete from api_keys where id = $1')],
    ['when its owner is suspended', () => run(`update users set suspended_at = now() ${OF_USER}`)],
    ['when its owner is deleted', () => run(`delete from users ${OF_USER}`)],
    ['when its time is over', () => run('update access_tokens set expires_at = now() where api_key_id = $1')],
  ])('%s', async (_, end) => {
    const before = [await get('/api/v1/accounts'), await other.ask('/api/v1/accounts', { headers: bearer })];
    await end();

    expect(before.map(({ status }) => status)).toEqual([200, 200]);
    const refusal = await get('/api/v1/accounts', {});
    for (const server of [served, other]) {
      for (const path of [
        '/api/v1/accounts',
        '/api/v1/transactions/x',
        '/api/v1/transactions?account_id=x',
      ]) {
        const answer = await server.ask(path, { headers: bearer });
        expect(answer.status).toBe(401);
        expect(answer.text).toBe(refusal.text);
        expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"');
      }
    }
  });
});

describe('what is no credential gets the same 401', () => {
  const UNKNOWN = `fin_at_${'A'.repeat(43)}`;
  const INVALID = 'Bearer error="invalid_token"';
  const MISSING = 'Bearer realm="api"';

  test.each<[string, string, () => Record<string, string>]>([
    ['nothing', MISSING, () => ({})],
    ['an unknown key', MISSING, () => ({ 'X-Api-Key': `fin_${'A'.repeat(43)}` })],
    ['a token in the header of keys', MISSING, () => ({ 'X-Api-Key': bearer.Authorization.slice(7) })],
    ['a cookie', MISSING, () => ({ Cookie: `session=${bearer.Authorization.slice(7)}` })],
    ['another scheme', MISSING, () => ({ Authorization: bearer.Authorization.replace('Bearer', 'Token') })],
    [
      'a scheme that only begins alike',
      MISSING,
      () => ({ Authorization: bearer.Authorization.replace(' ', '') }),
    ],
    ['no token', INVALID, () => ({ Authorization: 'Bearer' })],
    ['an unknown token', INVALID, () => ({ Authorization: `Bearer ${UNKNOWN}` })],
    ['a malformed token', INVALID, () => ({ Authorization: `${bearer.Authorization}A` })],
    ['a token and something', INVALID, () => ({ Authorization: `${bearer.Authorization} x` })],
    ['two tokens', INVALID, () => ({ Authorization: `${bearer.Authorization}, ${bearer.Authorization}` })],
    ['a key as a token', INVALID, () => ({ Authorization: `Bearer ${ledger.headers['X-Api-Key']}` })],
    ['both a key and a token', INVALID, () => ({ ...ledger.headers, ...bearer })],
    ['a token beside an empty key', INVALID, () => ({ 'X-Api-Key': '', ...bearer })],
    [
      'a key beside an unknown token',
      INVALID,
      () => ({ ...ledger.headers, Authorization: `Bearer ${UNKNOWN}` }),
    ],
  ])('%s', async (_, challenge, headers) => {
    const answer = await get('/api/v1/accounts', headers());

    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ error: 'unauthorized', message: expect.stringContaining('X-Api-Key') });
    expect(answer.headers.get('WWW-Authenticate')).toBe(challenge);
  });

  test('a token that is sent twice', async () => {
    const headers = { Authorization: [bearer.Authorization, bearer.Authorization] };

    expect((await askRaw(served, { path: '/api/v1/accounts', headers })).status).toBe(401);
  });

  test('but a key may pass beside what a proxy wants to hear', async () => {
    const answer = await get('/api/v1/accounts', {
      ...ledger.headers,
      Authorization: 'Basic cHJveHk6cHJveHk=',
    });

    expect(answer.status).toBe(200);
  });
});

test('no header whatever is answered with a server error', async () => {
  const unit = fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code));
  const text = fc.oneof(
    fc.string({ unit, maxLength: 80 }),
    fc.string({ unit, maxLength: 60 }).map((rest) => `Bearer ${rest}`),
    fc.stringMatching(/^Bearer fin_at_[A-Za-z0-9_-]{42,44}$/),
    fc.stringMatching(/^fin_[A-Za-z0-9_-]{42,44}$/),
  );

  await fc.assert(
    fc.asyncProperty(fc.option(text), fc.option(text), async (authorization, key) => {
      const headers = {
        ...(authorization !== null && { Authorization: authorization }),
        ...(key !== null && { 'X-Api-Key': key }),
      };
      const answer = await askRaw(served, { path: '/api/v1/accounts', headers });
      expect(answer.status).toBe(401);
    }),
    { numRuns: 300 },
  );
});
