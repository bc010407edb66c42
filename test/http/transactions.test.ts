import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { givenLedger, givenPair, givenTransaction, type Ledger } from '#test/http/given-ledger.ts';
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

const find = async (id: string) => (await get(`/api/v1/transactions/${id}`)).body;

/** A row of a table that families own, with these columns; answers with its id. */
async function givenRow(table: string, columns: Record<string, string>): Promise<string> {
  const id = randomUUIDv7();
  const names = ['family_id', 'id', ...Object.keys(columns), 'created_at', 'updated_at'];
  const values = [ledger.familyId, id, ...Object.values(columns), new Date(), new Date()];
  await harness.query(
    `insert into ${table} (${names.join(', ')}) values (${values.map((_, index) => `$${index + 1}`).join(', ')})`,
    values,
  );
  return id;
}

describe('one transaction', () => {
  test('without any detail has every field all the same', async () => {
    const id = await givenTransaction(harness, ledger, {
      accountId: ledger.checking,
      cents: 1299,
      name: 'Coffee',
      createdAt: '2026-02-01T12:00:00.123456+02:00',
    });

    expect(await find(id.toUpperCase())).toEqual({
      id,
      date: '2026-01-15',
      amount: '$12.99',
      amount_cents: 1299,
      signed_amount_cents: -1299,
      currency: 'USD',
      name: 'Coffee',
      classification: 'expense',
      notes: null,
      external_id: null,
      source: 'manual',
      account: { id: ledger.checking, name: 'Checking', account_type: 'depository', status: 'active' },
      category: null,
      merchant: null,
      tags: [],
      transfer: null,
      created_at: '2026-02-01T10:00:00.123Z',
      updated_at: '2026-02-01T10:00:00.123Z',
    });
  });

  test('shows its detail, tags by name, and no category once that is deleted', async () => {
    const id = await givenTransaction(harness, ledger, {
      accountId: ledger.checking,
      cents: 1,
      notes: 'at the “corner”',
      externalId: 'X-1',
    });
    const category = await givenRow('categories', { name: 'Food', color: '#6172F3', icon: 'utensils' });
    const merchant = await givenRow('merchants', { name: 'Market' });
    const zoo = await givenRow('tags', { name: 'zoo', color: '#e99537' });
    const ape = await givenRow('tags', { name: 'ape', color: '#000000' });
    await harness.query('update transactions set category_id = $1, merchant_id = $2', [category, merchant]);
    await harness.query(`insert into transaction_tags values ($1, $2, $3), ($1, $2, $4)`, [
      ledger.familyId,
      id,
      zoo,
      ape,
    ]);

    expect(await find(id)).toMatchObject({
      notes: 'at the “corner”',
      external_id: 'X-1',
      category: { id: category, name: 'Food', color: '#6172F3', icon: 'utensils' },
      merchant: { id: merchant, name: 'Market' },
      tags: [
        { id: ape, name: 'ape', color: '#000000' },
        { id: zoo, name: 'zoo', color: '#e99537' },
      ],
    });
    await harness.query('delete from categories where id = $1', [category]);
    expect(await find(id)).toMatchObject({ category: null, merchant: { id: merchant } });
  });

  test.each([
    ['USD', 1, '$0.01', 'expense'],
    ['USD', -250_000, '-$2,500.00', 'income'],
    ['USD', 0, '$0.00', 'expense'],
    ['EUR', -5, '-€0.05', 'income'],
    ['JPY', 1000, '¥1,000', 'expense'],
    ['KWD', -1234, '-KWD 1.234', 'income'],
    ['HUF', 150_000, 'HUF 1,500.00', 'expense'],
    ['CLF', 5, 'CLF 0.0005', 'expense'],
    ['USD', Number.MAX_SAFE_INTEGER, '$90,071,992,547,409.91', 'expense'],
    ['USD', Number.MIN_SAFE_INTEGER, '-$90,071,992,547,409.91', 'income'],
  ])('of %s %d minor units says %s, %s', async (currency, cents, amount, classification) => {
    const id = await givenTransaction(harness, ledger, { accountId: ledger.checking, cents, currency });

    expect(await find(id)).toMatchObject({
      amount,
      amount_cents: Math.abs(cents),
      signed_amount_cents: 0 - cents,
      currency,
      classification,
    });
  });

  test.each(['draft', 'disabled', 'pending_deletion'])('shows that its account is %s', async (status) => {
    const id = await givenTransaction(harness, ledger, { accountId: ledger.checking, cents: 1 });
    await harness.query('update accounts set status = $1', [status]);

    expect(await find(id)).toMatchObject({ account: { status } });
  });
});

const out = () => givenTransaction(harness, ledger, { accountId: ledger.checking, cents: 2500 });
const into = () => givenTransaction(harness, ledger, { accountId: ledger.savings, cents: -2500 });

describe('its transfer', () => {
  test.each(['pending', 'confirmed'] as const)('is shown from both sides when %s', async (status) => {
    const [outflow, inflow] = [await out(), await into()];
    const id = await givenPair(harness, ledger, { status, outflow, inflow });

    const transfer = { id, amount: '$25.00', currency: 'USD' };
    const account = { account_type: 'depository', status: 'active' };
    expect((await find(outflow)).transfer).toEqual({
      ...transfer,
      other_account: { id: ledger.savings, name: 'Savings', ...account },
    });
    expect((await find(inflow)).transfer).toEqual({
      ...transfer,
      other_account: { id: ledger.checking, name: 'Checking', ...account },
    });
  });

  test('is null when it is rejected', async () => {
    const [outflow, inflow] = [await out(), await into()];
    await givenPair(harness, ledger, { status: 'rejected', outflow, inflow });

    expect(await find(outflow)).toMatchObject({ transfer: null });
    expect(await find(inflow)).toMatchObject({ transfer: null });
  });

  test('is the confirmed one among several, and the first of two proposals', async () => {
    const outflow = await out();
    const first = await givenPair(harness, ledger, { status: 'pending', outflow, inflow: await into() });
    await givenPair(harness, ledger, { status: 'pending', outflow, inflow: await into() });
    expect(await find(outflow)).toMatchObject({ transfer: { id: first } });

    const confirmed = await givenPair(harness, ledger, {
      status: 'confirmed',
      outflow,
      inflow: await into(),
    });
    expect(await find(outflow)).toMatchObject({ transfer: { id: confirmed } });
  });

  test('across currencies has the absolute amount of the inflow', async () => {
    const outflow = await out();
    const inflow = await givenTransaction(harness, ledger, {
      accountId: ledger.savings,
      cents: -2310,
      currency: 'EUR',
    });
    await givenPair(harness, ledger, { status: 'confirmed', outflow, inflow });

    for (const id of [outflow, inflow])
      expect(await find(id)).toMatchObject({ transfer: { amount: '€23.10', currency: 'EUR' } });
  });
});

describe('the list', () => {
  test.each([
    ['100%', ['100% Coffee']],
    ['_', ['snake_case']],
    ['\\', ['back\\slash']],
    [`'`, [`it's "quoted"`]],
    ['"quoted"', [`it's "quoted"`]],
    ['💶', ['paid 💶']],
    ['COFFEE', ['100% Coffee']],
    ['BÜRO', ['Büro']],
    ['in the notes', ['Tea']],
    ['%', ['100% Coffee']],
    ['nothing like it', []],
  ])('searches %s as text in names and notes, in either case', async (search, names) => {
    const all = ['100% Coffee', 'snake_case', 'back\\slash', `it's "quoted"`, 'paid 💶', 'Büro', 'Tea'];
    for (const name of all) {
      const notes = name === 'Tea' ? 'Only in the Notes' : null;
      await givenTransaction(harness, ledger, { accountId: ledger.checking, cents: 1, name, notes });
    }

    const { body } = await get(`/api/v1/transactions?search=${encodeURIComponent(search)}`);

    expect(body.transactions.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(body.pagination.total_count).toBe(names.length);
  });

  test('gives what every filter leaves, latest date first, on every page', async () => {
    const { checking, savings } = ledger;
    const accounts = [checking, savings];
    const rows: { id: string; account: string; date: string; name: string }[] = [];
    for (let i = 0; i < 20; i += 1) {
      const row = { account: accounts[i % 2] ?? '', date: `2026-01-1${(i * 3) % 7}`, name: `${i % 3} x` };
      const { account: accountId, date, name } = row;
      rows.push({ id: await givenTransaction(harness, ledger, { accountId, cents: 1, date, name }), ...row });
    }
    const entries = await harness.query<{ id: string; entry_id: string }>(
      'select id, entry_id from transactions',
    );
    const entryOf = new Map(entries.map(({ id, entry_id }) => [id, entry_id]));
    const newerEntry = (a: string, b: string) => ((entryOf.get(a) ?? '') < (entryOf.get(b) ?? '') ? 1 : -1);
    const filters: Record<string, string>[] = [
      {},
      { account_id: savings },
      { start_date: '2026-01-12' },
      { end_date: '2026-01-14' },
      { account_id: checking, start_date: '2026-01-12', end_date: '2026-01-14', search: '1 X' },
    ];

    for (const filter of filters) {
      const { account_id, start_date = '', end_date = '9999', search = '' } = filter;
      const expected = rows
        .filter(({ account }) => account_id === undefined || account === account_id)
        .filter(({ date }) => start_date <= date && date <= end_date)
        .filter(({ name }) => name.includes(search.toLowerCase()))
        .toSorted((a, b) => b.date.localeCompare(a.date) || newerEntry(a.id, b.id))
        .map(({ id }) => id);
      const listed: string[] = [];
      for (let page = 1; page <= Math.ceil(expected.length / 6) + 1; page += 1) {
        const query = String(new URLSearchParams({ ...filter, page: String(page), per_page: '6' }));
        const { body } = await get(`/api/v1/transactions?${query}`);
        expect(body.pagination).toMatchObject({ page, total_count: expected.length });
        listed.push(...body.transactions.map(({ id }: { id: string }) => id));
      }
      expect(listed, JSON.stringify(filter)).toEqual(expected);
    }
  });
});
