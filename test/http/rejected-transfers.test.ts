import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccount } from '#src/ledger/create-account.ts';
import {
  givenLedger,
  givenPair,
  givenRejectedTransfer,
  givenTransaction,
  type Ledger,
} from '#test/http/given-ledger.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
let served: Served;
let ledger: Ledger;
const get = (path: string) => served.ask(path, { headers: ledger.headers });

beforeAll(async () => {
  served = await serve(harness.runtime);
});
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(async () => {
  ledger = await givenLedger(harness);
});

test('one is found by its id in either case, and is the same in the list', async () => {
  const { checking, savings } = ledger;
  const outflow = await givenTransaction(harness, ledger, { accountId: checking, cents: 2500, name: 'Out' });
  const inflow = await givenTransaction(harness, ledger, {
    accountId: savings,
    cents: -2500,
    date: '2026-01-17',
    name: 'In',
  });
  await harness.query(`update transactions set kind = 'one_time' where id = $1`, [inflow]);
  const createdAt = '2026-02-01T12:00:00.123456+02:00';
  const id = await givenPair(harness, ledger, { status: 'rejected', outflow, inflow, createdAt });

  const { body } = await get(`/api/v1/rejected_transfers/${id.toUpperCase()}`);

  expect(body).toEqual({
    id,
    outflow_transaction: {
      id: outflow,
      entry_id: await entryOf(outflow),
      date: '2026-01-15',
      amount: '$25.00',
      amount_cents: 2500,
      currency: 'USD',
      name: 'Out',
      kind: 'standard',
      account: { id: checking, name: 'Checking', account_type: 'depository' },
    },
    inflow_transaction: {
      id: inflow,
      entry_id: await entryOf(inflow),
      date: '2026-01-17',
      amount: '-$25.00',
      amount_cents: -2500,
      currency: 'USD',
      name: 'In',
      kind: 'one_time',
      account: { id: savings, name: 'Savings', account_type: 'depository' },
    },
    created_at: '2026-02-01T10:00:00.123Z',
    updated_at: '2026-02-01T10:00:00.123Z',
  });
  expect((await get('/api/v1/rejected_transfers')).body).toEqual({
    rejected_transfers: [body],
    pagination: { page: 1, per_page: 25, total_count: 1, total_pages: 1 },
  });
});

async function entryOf(transactionId: string): Promise<string | undefined> {
  const [row] = await harness.query<{ entry_id: string }>('select entry_id from transactions where id = $1', [
    transactionId,
  ]);
  return row?.entry_id;
}

describe('the list', () => {
  test.each([
    ['', 2],
    ['account_id=', 2],
    ['start_date=9999-12-31&end_date=0001-01-01', 0],
    [`account_id=${randomUUIDv7()}`, 0],
    ['page=9', 2],
    ['per_page=1&page=99999999999999999999999', 2],
    ['page=2&page=3&per_page[]=x', 2],
    ['unknown=%00', 2],
  ])('with ?%s counts %i in all', async (query, total) => {
    await givenRejectedTransfer(harness, ledger, '2026-01-15');
    await givenRejectedTransfer(harness, ledger, '2026-01-25');

    const { status, body } = await get(`/api/v1/rejected_transfers?${query}`);

    expect(status).toBe(200);
    expect(body.pagination.total_count).toBe(total);
  });

  test('echoes a page past the end, however far, and shows it empty', async () => {
    await givenRejectedTransfer(harness, ledger);

    for (const page of [7, Number.MAX_SAFE_INTEGER]) {
      const { body } = await get(`/api/v1/rejected_transfers?page=${page}&per_page=100`);
      expect(body.rejected_transfers).toEqual([]);
      expect(body.pagination).toEqual({ page, per_page: 100, total_count: 1, total_pages: 1 });
    }
  });

  test.each(['disabled', 'pending_deletion'])('shows pairs of accounts that are %s', async (status) => {
    await givenRejectedTransfer(harness, ledger);
    await harness.query('update accounts set status = $1', [status]);

    expect((await get('/api/v1/rejected_transfers')).body.pagination.total_count).toBe(1);
  });
});

interface Pair {
  id: string;
  createdAt: string;
  outflow: { accountId: string; date: string };
  inflow: { accountId: string; date: string };
}

type Filter = Partial<Record<'account_id' | 'start_date' | 'end_date', string>>;

/** What decisions.md says of filters and order, one sentence after the other. */
function byTheRule(pairs: readonly Pair[], filter: Filter): string[] {
  const { account_id: account, start_date: start = '', end_date: end = '9999-12-31' } = filter;
  return pairs
    .filter(({ outflow, inflow }) => {
      const sides = [outflow, inflow];
      return (
        (account === undefined || sides.some(({ accountId }) => accountId === account)) &&
        sides.some(({ date }) => start <= date && date <= end)
      );
    })
    .toSorted((a, b) => {
      const [first, second] = [b.createdAt + b.id, a.createdAt + a.id];
      return first < second ? -1 : 1;
    })
    .map(({ id }) => id);
}

/** Pairs between three accounts, some created at the same moment, with sides up to nine days apart. */
async function givenManyPairs(count: number): Promise<Pair[]> {
  const { familyId } = ledger;
  const third = await harness.perform((work) =>
    createAccount(work, { familyId, name: 'Third', accountType: 'loan' }),
  );
  const accounts = [ledger.checking, ledger.savings, third.id] as const;
  const side = (account: number, day: number) => ({
    accountId: accounts[account % 3] ?? '',
    date: `2026-01-1${day % 10}`,
  });

  const pairs: Pair[] = [];
  for (let i = 0; i < count; i += 1) {
    const pair = {
      id: randomUUID(),
      createdAt: `2026-02-0${1 + (i % 4)}T00:00:00Z`,
      outflow: side(i, i),
      inflow: side(i + 1 + (i % 2), i * 7),
    };
    const outflow = await givenTransaction(harness, ledger, { ...pair.outflow, cents: 100 + i });
    const inflow = await givenTransaction(harness, ledger, { ...pair.inflow, cents: -100 - i });
    const { id, createdAt } = pair;
    await givenPair(harness, ledger, { status: 'rejected', outflow, inflow, id, createdAt });
    pairs.push(pair);
  }
  return pairs;
}

test('every filter gives the pairs the rule gives, in its order, on every page', async () => {
  const pairs = await givenManyPairs(24);
  const accounts = [{}, { account_id: ledger.checking }, { account_id: ledger.savings.toUpperCase() }];
  const starts = [{}, { start_date: '2026-01-13' }, { start_date: '2026-01-18' }];
  const ends = [{}, { end_date: '2026-01-14' }];
  const filters = accounts.flatMap((account) =>
    starts.flatMap((start) => ends.map((end): Filter => ({ ...account, ...start, ...end }))),
  );

  for (const filter of filters) {
    const lowered = { ...filter, ...(filter.account_id && { account_id: filter.account_id.toLowerCase() }) };
    const expected = byTheRule(pairs, lowered);
    const listed: string[] = [];
    for (let page = 1; page <= Math.ceil(expected.length / 5) + 1; page += 1) {
      const query = String(new URLSearchParams({ ...filter, page: String(page), per_page: '5' }));
      const { body } = await get(`/api/v1/rejected_transfers?${query}`);
      listed.push(...body.rejected_transfers.map(({ id }: { id: string }) => id));
      expect(body.pagination).toEqual({
        page,
        per_page: 5,
        total_count: expected.length,
        total_pages: Math.ceil(expected.length / 5),
      });
    }
    expect(listed, JSON.stringify(filter)).toEqual(expected);
  }
});
