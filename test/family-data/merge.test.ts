import { describe, expect, test, vi } from 'vitest';
import { confirmTransfer } from '#src/ledger/confirm-transfer.ts';
import { matchTransfers } from '#src/ledger/match-transfers.ts';
import { updateAccount } from '#src/ledger/update-account.ts';
import { exported, imported, ndjson } from '#test/family-data/family-files.ts';
import { account, named, pair, TWO_ACCOUNTS, transaction, uuid } from '#test/family-data/records.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold, givenStatement } from '#test/support/given.ts';

const harness = useRuntime();

type Records = Parameters<typeof ndjson>[0];

async function given(records: Records): Promise<string> {
  const { familyId } = await givenHousehold(harness);
  await imported(harness, { familyId }, ndjson(records));
  return familyId;
}

const bring = (familyId: string, records: Records) => imported(harness, { familyId }, ndjson(records));

describe('what is here already', () => {
  test('stays as it is where the file says something else, and that is told', async () => {
    const familyId = await given([
      account(1),
      named('Category', 3, { color: '#112233' }),
      transaction(10, { category_id: uuid(3) }),
    ]);
    await harness.perform((work) => updateAccount(work, { familyId, account: uuid(1), name: 'Renamed' }));
    const before = await exported(harness, familyId);
    const report = await bring(familyId, [
      account(1),
      named('Category', 3, { color: '#445566' }),
      transaction(10, { amount: '6.0', category_id: uuid(3) }),
      transaction(11),
    ]);

    const stays = 'differs from what is here under its id, which stays as it is';
    expect(report).toMatchObject({
      conflictCount: 3,
      rejectedCount: 0,
      messages: [
        { line: 1, message: `Account: ${stays}` },
        { line: 2, message: `Category: ${stays}` },
        { line: 3, message: `Transaction: ${stays}` },
      ],
    });
    const after = await exported(harness, familyId);
    expect(after.split('\n')).toEqual(expect.arrayContaining(before.split('\n')));
    expect(after).toContain('Transaction 11');
  });

  test('is found by its name, and stands in for what the file means', async () => {
    const { familyId } = await givenHousehold(harness);
    const checking = await givenAccount(harness, { familyId, name: 'Checking' });
    await bring(familyId, [named('Tag', 5, { name: 'holiday' }), named('Category', 6, { name: 'Food' })]);
    const report = await bring(familyId, [
      account(1, { name: 'Checking' }),
      named('Tag', 7, { name: 'holiday' }),
      named('Category', 8, { name: 'Food', color: '#123456' }),
      named('Category', 9, { name: 'Food' }),
      transaction(10, { category_id: uuid(9), tag_ids: [uuid(7), uuid(5)] }),
    ]);

    expect(report).toMatchObject({
      conflictCount: 0,
      rejectedCount: 0,
      records: { Account: { added: 0, present: 1 } },
    });
    const [row] = await harness.query(
      `select e.account_id, t.category_id, array_agg(g.tag_id) as tags from transactions t
       join entries e on e.id = t.entry_id join transaction_tags g on g.transaction_id = t.id group by 1, 2`,
    );
    expect(row).toEqual({ account_id: checking.id, category_id: uuid(6), tags: [uuid(5)] });
  });

  test('keeps an account of another currency apart from one of the same name', async () => {
    const { familyId } = await givenHousehold(harness);
    await givenAccount(harness, { familyId, name: 'Checking', currency: 'EUR' });
    await bring(familyId, [account(1, { name: 'Checking' }), account(2, { name: 'Checking' })]);
    await bring(familyId, [
      account(1, { name: 'Checking' }),
      account(2, { name: 'Checking' }),
      account(3, { name: 'Checking' }),
    ]);

    const names = await harness.query<{ name: string }>('select name from accounts order by name');
    expect(names.map(({ name }) => name)).toEqual([
      'Checking',
      'Checking (2)',
      'Checking (3)',
      'Checking (4)',
    ]);
  });

  test('is the same transaction by the id of its bank, or by what the statement said', async () => {
    const { familyId } = await givenHousehold(harness);
    const checking = await givenAccount(harness, { familyId, name: 'Checking' });
    await givenStatement(harness, checking, [['2025-02-03', '-5.00', 'Coffee']]);
    const [entry] = await harness.query<{ content_hash: string }>('select content_hash from entries');
    const ours = { source: 'csv', content_hash: entry?.content_hash };
    const withId = { source: 'ofx', external_id: 'B1' };
    await bring(familyId, [account(1, { name: 'Checking' }), transaction(9, withId)]);
    const report = await bring(familyId, [
      account(1, { name: 'Checking' }),
      account(2),
      transaction(10, { ...ours, name: 'Coffee' }),
      transaction(11, { account_id: uuid(2), amount: '-5.0' }),
      transaction(12, withId),
      pair('RejectedTransfer', 20, [11, 10]),
    ]);

    expect(report.records).toMatchObject({
      Transaction: { added: 1, present: 2 },
      RejectedTransfer: { added: 1 },
    });
    const [rejected] = await harness.query(
      `select e.name from rejected_transfers r join transactions t on t.id = r.outflow_transaction_id
       join entries e on e.id = t.entry_id`,
    );
    expect(rejected).toEqual({ name: 'Coffee' });
  });

  test('keeps its currency and its matching once it has an account', async () => {
    const settings = { type: 'Family', data: { currency: 'JPY', transfer_matching: false } };
    const familyId = await given([settings]);
    expect(await harness.query('select currency, transfer_matching from families')).toEqual([
      { currency: 'JPY', transfer_matching: false },
    ]);

    await bring(familyId, [account(1)]);
    const report = await bring(familyId, [
      { type: 'Family', data: { currency: 'EUR', transfer_matching: true } },
    ]);
    expect(report.notices).toEqual(['the family keeps its own currency and transfer matching']);
  });
});

describe('transfers of a file', () => {
  test('follow what was decided here', async () => {
    const familyId = await given([...TWO_ACCOUNTS, pair('Transfer', 20, [11, 10])]);
    await harness.perform((work) => confirmTransfer(work, { familyId, id: uuid(20) }));
    const report = await bring(familyId, [
      ...TWO_ACCOUNTS,
      pair('Transfer', 20, [11, 10]),
      pair('Transfer', 21, [13, 10]),
      pair('RejectedTransfer', 22, [11, 10]),
      pair('RejectedTransfer', 20, [13, 12]),
      pair('RejectedTransfer', 20, [13, 10]),
      pair('Transfer', 20, [13, 12]),
    ]);

    expect(report.messages).toEqual([
      { line: 7, message: 'Transfer: is confirmed here, and stays so' },
      { line: 8, message: 'Transfer: one of its transactions is in a confirmed transfer here' },
      { line: 9, message: 'RejectedTransfer: the same two transactions are on another line already' },
      { line: 11, message: 'RejectedTransfer: its id is on an earlier line already' },
      { line: 12, message: 'Transfer: its id is on an earlier line already' },
    ]);
    expect(report.records).toMatchObject({ RejectedTransfer: { added: 1 } });
  });

  test('that are confirmed take the place of proposals here, and give the kinds', async () => {
    const familyId = await given(TWO_ACCOUNTS);
    await harness.perform((work) => matchTransfers(work, { familyId }));
    const pairs = await harness.query<{ pair: string }>(
      `select inflow_transaction_id || ' ' || outflow_transaction_id as pair from transfers order by 1`,
    );
    expect(pairs.map(({ pair }) => pair)).toEqual([`${uuid(11)} ${uuid(10)}`, `${uuid(13)} ${uuid(12)}`]);
    const report = await bring(familyId, [
      ...TWO_ACCOUNTS,
      pair('Transfer', 20, [13, 10], { status: 'confirmed' }),
    ]);

    expect(report).toMatchObject({ rejectedCount: 0, conflictCount: 0 });
    expect(
      await harness.query('select id, status, inflow_kind_before, outflow_kind_before from transfers'),
    ).toEqual([
      { id: uuid(20), status: 'confirmed', inflow_kind_before: 'standard', outflow_kind_before: 'standard' },
    ]);
    expect(
      await harness.query(`select id, kind from transactions where kind <> 'standard' order by id`),
    ).toEqual([
      { id: uuid(10), kind: 'cc_payment' },
      { id: uuid(13), kind: 'funds_movement' },
    ]);
  });

  test('are refused one by one where they are none, with line and reason', async () => {
    const { familyId } = await givenHousehold(harness);
    const report = await bring(familyId, [
      ...TWO_ACCOUNTS,
      transaction(14, { amount: '-5.0' }),
      transaction(15, { amount: '6.0' }),
      transaction(16, { account_id: uuid(99) }),
      pair('Transfer', 20, [14, 10]),
      pair('Transfer', 21, [10, 11]),
      pair('Transfer', 22, [11, 15]),
      pair('RejectedTransfer', 23, [11, 98]),
      pair('Transfer', 24, [16, 10]),
      pair('Transfer', 25, [11, 10], { status: 'confirmed' }),
      pair('Transfer', 26, [13, 10], { status: 'confirmed' }),
      pair('Transfer', 27, [11, 12]),
      pair('RejectedTransfer', 28, [13, 12]),
    ]);

    expect(report.messages).toEqual([
      { line: 9, message: 'Transaction: account_id names no account of this file or family' },
      { line: 10, message: 'Transfer: both transactions are in the same account' },
      { line: 11, message: 'Transfer: money must come in with the inflow and leave with the outflow' },
      { line: 12, message: 'Transfer: the amounts are not exactly opposite' },
      {
        line: 13,
        message: 'RejectedTransfer: outflow_transaction_id names no transaction of this file or family',
      },
      { line: 14, message: 'Transfer: inflow_transaction_id names no transaction of this file or family' },
      { line: 16, message: 'Transfer: one of its transactions is in a confirmed transfer on another line' },
      { line: 17, message: 'Transfer: one of its transactions is in a confirmed transfer on another line' },
    ]);
    expect(report.records).toMatchObject({ Transfer: { added: 1 }, RejectedTransfer: { added: 1 } });
  });

  test('never reach into another family', async () => {
    await given([...TWO_ACCOUNTS, pair('Transfer', 20, [11, 10])]);
    const { familyId } = await givenHousehold(harness);
    const report = await bring(familyId, [transaction(30), pair('Transfer', 31, [11, 10])]);

    expect(report).toMatchObject({
      rejectedCount: 2,
      records: { Transaction: { added: 0 }, Transfer: { added: 0 } },
    });
    expect(await harness.query('select 1 from entries where family_id = $1', [familyId])).toEqual([]);
  });
});

test('the same ids in two families do not meet', async () => {
  const one = await given([...TWO_ACCOUNTS, pair('RejectedTransfer', 20, [11, 10])]);
  const two = await given([...TWO_ACCOUNTS, pair('RejectedTransfer', 20, [11, 10])]);

  const [first, second] = [await exported(harness, one), await exported(harness, two)];
  expect(first.replaceAll(/"(created|updated)_at":"[^"]+"/g, '')).toBe(
    second.replaceAll(/"(created|updated)_at":"[^"]+"/g, ''),
  );
  expect(first).toContain(`{"type":"RejectedTransfer","data":{"id":"${uuid(20)}"`);
});

test('a rehearsal says the same and leaves nothing', async () => {
  const { familyId } = await givenHousehold(harness);
  const content = ndjson([...TWO_ACCOUNTS, pair('RejectedTransfer', 20, [11, 10])]);
  const report = await imported(harness, { familyId }, content, { dryRun: true });

  expect(report.records).toMatchObject({ Transaction: { added: 4 }, RejectedTransfer: { added: 1 } });
  expect(await exported(harness, familyId)).toBe(
    '{"type":"Family","data":{"currency":"USD","transfer_matching":true}}\n',
  );
});

test('whoever was quicker stays, and the file comes in when it is imported again', async () => {
  const { familyId } = await givenHousehold(harness);
  const records = [
    account(1),
    named('Category', 3, { name: 'Food' }),
    transaction(10, { category_id: uuid(3) }),
  ];
  const quicker = await harness.runtime.pool.connect();
  await quicker.query('begin');
  await quicker.query(
    `insert into categories (family_id, id, name, color, icon, created_at, updated_at)
     values ($1, $2, 'Food', '#112233', 'shapes', now(), now())`,
    [familyId, uuid(4)],
  );
  const attempt = expect(bring(familyId, records)).rejects.toMatchObject({ code: 'conflict' });
  await vi.waitUntil(
    async () =>
      (
        await harness.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length > 0,
    { timeout: 10_000 },
  );
  await quicker.query('commit');
  quicker.release();
  await attempt;

  expect(await harness.query('select 1 from accounts')).toEqual([]);
  expect(await bring(familyId, records)).toMatchObject({
    records: { Category: { present: 1 }, Transaction: { added: 1 } },
  });
});
