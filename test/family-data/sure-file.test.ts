import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importFamily } from '#src/family-data/import-family.ts';
import { undoImport } from '#src/imports/undo-import.ts';
import { confirmTransfer } from '#src/ledger/confirm-transfer.ts';
import { rejectTransfer } from '#src/ledger/reject-transfer.ts';
import { exported, imported } from '#test/family-data/family-files.ts';
import { serve } from '#test/http/serve.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();

const FILE = join(import.meta.dirname, '../fixtures/sure/all.ndjson');
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const bringIn = (familyId: string) =>
  harness.perform((work) => importFamily(work, { into: { familyId }, file: FILE, label: 'all.ndjson' }));

async function kindsOf(...numbers: number[]): Promise<unknown> {
  const rows = await harness.query<{ id: string; kind: string }>('select id, kind from transactions');
  return numbers.map((number) => rows.find((row) => row.id === id(number))?.kind);
}

describe("an all.ndjson of Sure's", () => {
  test('brings its rejected transfers to the API', async () => {
    await using served = await serve(harness.runtime);
    const { familyId, key } = await givenHousehold(harness);
    await bringIn(familyId);

    const { body } = await served.ask('/api/v1/rejected_transfers', { headers: { 'X-Api-Key': key } });
    expect(body).toMatchObject({
      rejected_transfers: [
        {
          id: id(303),
          inflow_transaction: { id: id(107), amount: '-$25.00', account: { name: 'Savings' } },
          outflow_transaction: { id: id(106), amount: '$25.00', name: 'Dinner with Sam' },
          created_at: '2025-02-20T09:30:00.000Z',
          updated_at: '2025-02-21T10:00:00.000Z',
        },
      ],
      pagination: { total_count: 1 },
    });
    const { body: bought } = await served.ask(`/api/v1/transactions/${id(101)}`, {
      headers: { 'X-Api-Key': key },
    });
    expect(bought).toMatchObject({
      date: '2025-02-03',
      amount: '$42.50',
      classification: 'expense',
      notes: 'two bags',
      source: 'sure',
      account: { id: id(11), name: 'Checking', account_type: 'depository' },
      category: { name: 'Groceries', color: '#e99537', icon: 'utensils' },
      merchant: { name: 'Corner Shop' },
      tags: [{ name: 'holiday' }],
      created_at: '2025-03-01T08:00:00.000Z',
    });
  });

  test('is told by types, what is not kept among them', async () => {
    const { familyId } = await givenHousehold(harness);
    const report = await bringIn(familyId);

    expect(report.records).toEqual({
      Account: { added: 4, present: 0, conflicts: 0, rejected: 0 },
      Category: { added: 2, present: 0, conflicts: 0, rejected: 0 },
      Tag: { added: 1, present: 0, conflicts: 0, rejected: 0 },
      Merchant: { added: 1, present: 0, conflicts: 0, rejected: 0 },
      Transaction: { added: 11, present: 0, conflicts: 0, rejected: 0 },
      Transfer: { added: 2, present: 0, conflicts: 0, rejected: 0 },
      RejectedTransfer: { added: 1, present: 0, conflicts: 0, rejected: 0 },
    });
    expect(report.skipped).toEqual({
      Balance: 1,
      RecurringTransaction: 1,
      Trade: 1,
      Holding: 1,
      Valuation: 2,
      Budget: 1,
      BudgetCategory: 1,
      Rule: 1,
    });
    expect(report.notices).toEqual([
      'Account.balance is not kept here (4)',
      'Account.subtype is not kept here (3)',
      'Category.parent_id is not kept here (1)',
      'Transaction.excluded is not kept here (1)',
      'Transfer.notes is not kept here (1)',
      'merchant_id names something that is not in the file (1): left out',
    ]);
  });

  test('comes in once, however often it is read, and stays itself when it is written out', async () => {
    const { familyId } = await givenHousehold(harness);
    await bringIn(familyId);
    const document = await exported(harness, familyId);
    const again = await bringIn(familyId);

    expect(again).toMatchObject({ rejectedCount: 0, conflictCount: 0, importIds: [] });
    expect(await exported(harness, familyId)).toBe(document);
    const { family } = await imported(harness, { newFamily: 'Copy' }, document);
    expect(await exported(harness, family.id)).toBe(document);
  });

  test('has accounts of one name kept apart, and the parts of a split transaction in its place', async () => {
    const { familyId } = await givenHousehold(harness);
    await bringIn(familyId);

    const accounts = await harness.query('select name, currency from accounts order by id');
    expect(accounts).toEqual([
      { name: 'Checking', currency: 'USD' },
      { name: 'Visa', currency: 'USD' },
      { name: 'Savings', currency: 'USD' },
      { name: 'Checking (2)', currency: 'JPY' },
    ]);
    const parts = await harness.query(
      `select t.id, e.name, e.notes, e.amount_cents, t.kind, e.date from transactions t
       join entries e on e.id = t.entry_id where e.account_id = $1 and e.amount_cents > 0 order by t.id`,
      [id(12)],
    );
    expect(parts).toEqual([
      {
        id: id(110),
        name: 'Supermarket',
        notes: null,
        amount_cents: '4500',
        kind: 'standard',
        date: '2025-02-14',
      },
      {
        id: id(111),
        name: 'Toys',
        notes: 'for Mia',
        amount_cents: '1500',
        kind: 'one_time',
        date: '2025-02-14',
      },
    ]);
  });

  test('gives proposals the kinds of here, so that every decision can be taken back', async () => {
    const { familyId } = await givenHousehold(harness);
    await bringIn(familyId);
    expect(await kindsOf(102, 103, 104, 105)).toEqual([
      'cc_payment',
      'funds_movement',
      'standard',
      'standard',
    ]);

    await harness.perform((work) => rejectTransfer(work, { familyId, id: id(301) }));
    await harness.perform((work) => confirmTransfer(work, { familyId, id: id(302) }));
    expect(await kindsOf(102, 103, 104, 105)).toEqual([
      'standard',
      'standard',
      'funds_movement',
      'funds_movement',
    ]);
  });

  test('can be undone, account by account', async () => {
    const { familyId } = await givenHousehold(harness);
    const { importIds } = await bringIn(familyId);
    expect(importIds).toHaveLength(4);
    const undone = [];
    for (const importId of importIds) {
      undone.push(await harness.perform((work) => undoImport(work, { familyId, id: importId })));
    }

    expect(undone.reduce((sum, { entries }) => sum + entries, 0)).toBe(11);
    expect(undone.reduce((sum, { transfers }) => sum + transfers, 0)).toBe(3);
    expect(await bringIn(familyId)).toMatchObject({
      records: { Account: { added: 0 }, Transaction: { added: 11 }, RejectedTransfer: { added: 1 } },
    });
  });

  test('is what it is in its bytes, whatever is around it', async () => {
    const { familyId } = await givenHousehold(harness);
    const text = await readFile(FILE, 'utf8');
    const dressed = `\ufeff${text.replaceAll('\n', '\r\n\r\n')}\r\n`;

    expect(await imported(harness, { familyId }, dressed)).toMatchObject({ rejectedCount: 0 });
    const document = await exported(harness, familyId);
    const { family } = await imported(harness, { newFamily: 'Plain' }, text);
    expect((await exported(harness, family.id)).split('\n').length).toBe(document.split('\n').length);
  });
});
