import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  givenLedger,
  givenRejectedTransfer,
  givenTransaction,
  type Ledger,
} from '#test/http/given-ledger.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
let served: Served;
let ledger: Ledger;
const get = (path: string, headers: Record<string, string> = ledger.headers) => served.ask(path, { headers });

beforeAll(async () => {
  served = await serve(harness.runtime);
});
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(async () => {
  ledger = await givenLedger(harness);
});

describe('accounts', () => {
  test('are listed by name, page after page, whatever their status', async () => {
    await harness.query(`update accounts set name = 'Aside', status = 'pending_deletion' where id = $1`, [
      ledger.savings,
    ]);
    const listed: string[] = [];
    for (const page of [1, 2, 3]) {
      const { body } = await get(`/api/v1/accounts?per_page=1&page=${page}`);
      listed.push(...body.accounts.map(({ name }: { name: string }) => name));
      expect(body.pagination).toEqual({ page, per_page: 1, total_count: 2, total_pages: 2 });
    }

    expect(listed).toEqual(['Aside', 'Checking']);
  });

  test('one is found by its id in either case', async () => {
    await harness.query(`update accounts set created_at = '2026-01-01', updated_at = '2026-01-02'`);

    expect((await get(`/api/v1/accounts/${ledger.savings.toUpperCase()}`)).body).toEqual({
      id: ledger.savings,
      name: 'Savings',
      account_type: 'depository',
      status: 'active',
      currency: 'USD',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-02T00:00:00.000Z',
    });
  });

  test('HEAD is GET without the body', async () => {
    const head = await served.ask('/api/v1/accounts', { method: 'HEAD', headers: ledger.headers });

    expect(head).toMatchObject({ status: 200, text: '' });
    expect(Number(head.headers.get('Content-Length'))).toBeGreaterThan(100);
  });
});

describe('what a key may not see', () => {
  test.each(['transactions', 'rejected_transfers', 'accounts'])(
    'of %s, a foreign, an unknown and a malformed id are the same 404',
    async (kind) => {
      const stranger = await givenLedger(harness);
      const foreign = {
        transactions: () => givenTransaction(harness, stranger, { accountId: stranger.checking, cents: 1 }),
        rejected_transfers: () => givenRejectedTransfer(harness, stranger),
        accounts: async () => stranger.checking,
      }[kind];

      const ids = [await foreign?.(), randomUUIDv7(), 'x', '%00', '%zz', `${randomUUIDv7()}x`, '..%2F..%2Fx'];
      const answers = await Promise.all(ids.map((id) => get(`/api/v1/${kind}/${id}`)));

      expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 404));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    },
  );

  test.each(['transactions', 'rejected_transfers'])('of %s, those of a foreign account', async (kind) => {
    const stranger = await givenLedger(harness);
    await givenRejectedTransfer(harness, stranger);

    const { body } = await get(`/api/v1/${kind}?account_id=${stranger.checking}`);

    expect(body.pagination).toEqual({ page: 1, per_page: 25, total_count: 0, total_pages: 0 });
  });
});

describe('keys', () => {
  test.each([
    ['unknown', `update api_keys set digest = sha256('other') where id = $1`],
    ['revoked', 'update api_keys set revoked_at = now() where id = $1'],
    ['expired', 'update api_keys set expires_at = now() where id = $1'],
    [
      'of a suspended user',
      'update users set suspended_at = now() where id = (select user_id from api_keys where id = $1)',
    ],
    ['of a deleted user', 'delete from users where id = (select user_id from api_keys where id = $1)'],
  ])('that are %s get the answer of a malformed one, even to an invalid filter', async (_, sql) => {
    const refusal = await get('/api/v1/accounts', { 'X-Api-Key': 'malformed' });
    await harness.query(sql, [ledger.keyId]);

    for (const path of [
      '/api/v1/rejected_transfers',
      '/api/v1/rejected_transfers?account_id=x',
      '/api/v1/transactions/x',
    ]) {
      const answer = await get(path);
      expect(answer.status).toBe(401);
      expect(answer.text).toBe(refusal.text);
    }
  });

  test.each([
    ['account_id=x', 'account_id'],
    ['start_date=2026-02-30', 'start_date'],
    ['end_date=%00', 'end_date'],
    ['search=%00', 'search'],
    ['account_id=x&account_id=y', 'account_id'],
    ['account_id=%zz', 'account_id'],
    ['start_date=%ff', 'start_date'],
  ])('that are good are told what is wrong with ?%s', async (query, name) => {
    const answer = await get(`/api/v1/transactions?${query}`);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      error: 'validation_failed',
      errors: [expect.stringContaining(name)],
    });
  });

  test('are noted as used once a minute, in the background', async () => {
    const own = await serve(harness.runtime);
    const lastUsed = async () =>
      (
        await harness.query<{ last_used_at: string | null }>(
          'select last_used_at from api_keys where id = $1',
          [ledger.keyId],
        )
      )[0]?.last_used_at;
    await own.ask('/api/v1/accounts', { headers: ledger.headers });
    const before = await lastUsed();
    await own.app.close();
    const after = await lastUsed();
    await own.ask('/api/v1/accounts', { headers: ledger.headers });
    await own[Symbol.asyncDispose]();

    expect(before).toBeNull();
    expect(after).not.toBeNull();
    expect(await lastUsed()).toBe(after);
  });
});

describe('the rate limit', () => {
  test('counts every answer to a key, over all processes, and then refuses', async () => {
    await using first = await limited();
    await using second = await limited();
    const { headers } = ledger;
    await first.ask('/api/v1/accounts', { headers: { 'X-Api-Key': 'stranger' } });

    const answers = [
      await first.ask('/api/v1/accounts', { headers }),
      await second.ask('/api/v1/transactions/x', { headers }),
      await first.ask('/api/v1/transactions?search=%00', { headers }),
      await second.ask('/api/v1/accounts', { headers }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 422, 429]);
    expect(answers.map((answer) => answer.headers.get('X-RateLimit-Remaining'))).toEqual([
      '2',
      '1',
      '0',
      '0',
    ]);
    expect(answers[0]?.headers.get('RateLimit-Policy')).toBe('"api";q=3;w=60');
    expect(answers[0]?.headers.get('RateLimit')).toMatch(/^"api";r=2;t=([1-9]|[1-5]\d|60)$/);
    const refusal = answers[3];
    expect(refusal?.body).toMatchObject({ error: 'rate_limit_exceeded', details: { limit: 3, current: 4 } });
    expect(refusal?.headers.get('Retry-After')).toBe(String(refusal?.body.details.reset_in_seconds));
  });

  test('forgets the minutes that are over', async () => {
    await harness.query(
      `insert into rate_limits values ('api:x', now() - interval '7 minutes', now() - interval '6 minutes', 1)`,
    );
    await using first = await limited();

    await first.ask('/api/v1/accounts', { headers: ledger.headers });

    const old = () => harness.query(`select 1 from rate_limits where key = 'api:x'`);
    await expect.poll(old).toEqual([]);
  });

  test('says nothing when it is off', async () => {
    expect((await get('/api/v1/accounts')).headers.has('RateLimit')).toBe(false);
  });
});

function limited(): Promise<Served> {
  const { runtime } = harness;
  return serve({
    ...runtime,
    config: { ...runtime.config, http: { ...runtime.config.http, apiRateLimit: 3 } },
  });
}
