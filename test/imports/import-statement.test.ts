import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { importStatement, type StatementImport } from '#src/imports/import-statement.ts';
import { listImports } from '#src/imports/list-imports.ts';
import { undoImport } from '#src/imports/undo-import.ts';
import { confirmTransfer } from '#src/ledger/confirm-transfer.ts';
import { matchTransfers } from '#src/ledger/match-transfers.ts';
import { rejectTransfer } from '#src/ledger/reject-transfer.ts';
import { updateAccount } from '#src/ledger/update-account.ts';
import { useRuntime } from '#test/support/database.ts';
import {
  givenAccount,
  givenHousehold,
  givenStatement,
  type Line,
  statementFile,
} from '#test/support/given.ts';

const harness = useRuntime();

const COFFEES: readonly Line[] = [
  ['2026-01-03', '-3.50', 'Coffee'],
  ['2026-01-03', '-3.50', 'Coffee'],
  ['2026-01-04', '1200.00', 'Salary'],
];

async function givenChecking() {
  const { familyId } = await givenHousehold(harness);
  const account = await givenAccount(harness, { familyId, name: 'Checking' });
  return {
    familyId,
    account,
    importFile: (file: string, options: Partial<StatementImport> & { dryRun?: boolean } = {}) => {
      const { dryRun = false, ...request } = options;
      return harness.perform(
        (work) => importStatement(work, { familyId, account: 'Checking', file, ...request }),
        {
          dryRun,
        },
      );
    },
    entries: () =>
      harness.query<Record<string, unknown>>(
        `select e.date, e.amount_cents::integer as amount, e.name, e.source, e.external_id, c.name as category,
           m.name as merchant, (select array_agg(g.name order by g.name) from transaction_tags x
             join tags g on g.id = x.tag_id where x.transaction_id = t.id) as tags
         from entries e join transactions t on t.entry_id = e.id and t.family_id = e.family_id
           left join categories c on c.id = t.category_id left join merchants m on m.id = t.merchant_id
         where e.family_id = $1 order by e.date, e.name, e.amount_cents`,
        [familyId],
      ),
  };
}

async function fileOf(text: string, ending = 'csv'): Promise<string> {
  const file = join(tmpdir(), `statement-${randomUUID()}.${ending}`);
  await writeFile(file, text);
  return file;
}

describe('importing a statement', () => {
  test('brings every row in as double entry: money out is positive', async () => {
    const { importFile, entries } = await givenChecking();

    const report = await importFile(await statementFile(COFFEES));

    expect(report).toMatchObject({
      imported: 3,
      duplicates: 0,
      rejectedCount: 0,
      account: { name: 'Checking' },
    });
    expect(await entries()).toMatchObject([
      { date: '2026-01-03', amount: 350, name: 'Coffee', source: 'csv' },
      { date: '2026-01-03', amount: 350, name: 'Coffee' },
      { date: '2026-01-04', amount: -120_000, name: 'Salary' },
    ]);
  });

  test('twice adds nothing, not even a record of itself', async () => {
    const { familyId, importFile, entries } = await givenChecking();
    const file = await statementFile(COFFEES);
    await importFile(file);

    expect(await importFile(file)).toMatchObject({ importId: null, imported: 0, duplicates: 3 });
    expect(await entries()).toHaveLength(3);
    expect(await harness.perform((work) => listImports(work, { familyId }))).toHaveLength(1);
  });

  test('that overlaps an earlier one adds only what is new, equal coffees included', async () => {
    const { importFile, entries } = await givenChecking();
    await importFile(await statementFile(COFFEES));

    const report = await importFile(await statementFile([['2026-01-03', '-3.50', 'Coffee'], ...COFFEES]));

    expect(report).toMatchObject({ imported: 1, duplicates: 3 });
    expect((await entries()).filter(({ name }) => name === 'Coffee')).toHaveLength(3);
  });

  test('knows rows by the id of the bank, whatever else has changed', async () => {
    const { importFile, entries } = await givenChecking();
    await importFile(await fileOf('Date,Amount,Description,Transaction ID\n2026-01-02,-1.00,before,X1\n'));

    const report = await importFile(
      await fileOf(
        'Date,Amount,Description,Transaction ID\n2026-01-02,-1.00,after,X1\n2026-01-02,-1.00,new,X2\n',
      ),
    );

    expect(report).toMatchObject({ imported: 1, duplicates: 1 });
    expect((await entries()).map(({ name, external_id }) => [name, external_id])).toEqual([
      ['before', 'X1'],
      ['new', 'X2'],
    ]);
  });

  test('tells rows without an id apart by date, amount, text and notes', async () => {
    const { importFile } = await givenChecking();
    const head = 'Date,Amount,Description,Notes,Category\n';
    await importFile(await fileOf(`${head}2026-01-02,-1.00,a,n,x\n`));

    const others = ['2026-01-03,-1.00,a,n,x', '2026-01-02,-2.00,a,n,x', '2026-01-02,-1.00,b,n,x'];
    const rows = [...others, '2026-01-02,-1.00,a,m,x'];

    expect(await importFile(await fileOf(head + rows.join('\n')))).toMatchObject({ imported: 4 });
    const recategorised = await importFile(await fileOf(`${head}2026-01-02,-1.00,a,n,y\n`));
    expect(recategorised).toMatchObject({ imported: 0, duplicates: 1 });
  });

  test('creates the categories, merchants and tags it names, once', async () => {
    const { familyId, importFile, entries } = await givenChecking();
    await importFile(
      await fileOf(
        'Date,Amount,Description,Category,Merchant,Tags\n' +
          '2026-01-02,-1.00,a,Food,Market,"x,y"\n2026-01-03,-2.00,b,Food,Market,x\n2026-01-04,-3.00,c,,,\n',
      ),
    );

    expect(await entries()).toMatchObject([
      { category: 'Food', merchant: 'Market', tags: ['x', 'y'] },
      { category: 'Food', merchant: 'Market', tags: ['x'] },
      { category: null, merchant: null, tags: null },
    ]);
    expect(await harness.query('select 1 from categories where family_id = $1', [familyId])).toHaveLength(1);
    expect(await harness.query('select 1 from tags where family_id = $1', [familyId])).toHaveLength(2);
  });

  test('reports bad rows with their line and imports the others', async () => {
    const { importFile } = await givenChecking();

    const report = await importFile(
      await fileOf(
        'Date,Amount,Description\n2026-01-02,-1.00,good\n2026-02-30,-1.00,no such day\n2026-01-03,ten,word\n',
      ),
    );

    expect(report).toMatchObject({ imported: 1, rejectedCount: 2, rejected: [{ line: 3 }, { line: 4 }] });
  });

  test('as a dry run tells all and saves nothing', async () => {
    const { importFile, entries } = await givenChecking();
    await importFile(await statementFile(COFFEES.slice(0, 1)));

    const report = await importFile(await statementFile(COFFEES), { dryRun: true, preview: 10 });

    expect(report).toMatchObject({ imported: 2, duplicates: 1 });
    expect(report.preview.map(({ line, status }) => [line, status])).toEqual([
      [2, 'duplicate'],
      [3, 'new'],
      [4, 'new'],
    ]);
    expect(await entries()).toHaveLength(1);
  });

  test('shows as many rows as asked for, from the first', async () => {
    const { importFile } = await givenChecking();

    const { preview } = await importFile(await statementFile(COFFEES), { preview: 2 });

    expect(preview).toMatchObject([
      { line: 2, date: '2026-01-03', amountCents: 350, currency: 'USD', name: 'Coffee' },
      { line: 3 },
    ]);
  });

  test('that breaks off in the middle leaves nothing', async () => {
    const { importFile, entries } = await givenChecking();
    const file = await fileOf(
      '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKTRANLIST><STMTTRN>\n',
      'ofx',
    );

    await expect(importFile(file)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/statement-.*\.ofx:\d+: /),
    });
    expect(await entries()).toEqual([]);
  });

  test('at the same moment as another import of the same file adds every row once', async () => {
    const { importFile, entries } = await givenChecking();
    const file = await statementFile(COFFEES);

    const reports = await Promise.all([importFile(file), importFile(file), importFile(file)]);

    expect(reports.reduce((sum, { imported }) => sum + imported, 0)).toBe(3);
    expect(await entries()).toHaveLength(3);
  });

  test('is refused for an account that is to be deleted, or that there is not', async () => {
    const { familyId, importFile } = await givenChecking();
    const file = await statementFile(COFFEES);

    await expect(importFile(file, { account: 'Chequing' })).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Did you mean Checking? Known: Checking.',
    });
    await harness.perform((work) =>
      updateAccount(work, { familyId, account: 'Checking', status: 'pending_deletion' }),
    );
    await expect(importFile(file)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('takes a handful of queries for each batch, however many rows it has', async () => {
    const { importFile } = await givenChecking();
    const lines = Array.from(
      { length: 20_000 },
      (_, index): Line => [
        `2026-01-${String((index % 28) + 1).padStart(2, '0')}`,
        `-${index + 1}.00`,
        `row ${index}`,
      ],
    );
    const progress: number[] = [];
    const file = await statementFile(lines);
    const query = vi.spyOn(Client.prototype, 'query');

    const report = await importFile(file, { onProgress: (rows) => progress.push(rows) });
    const statements = query.mock.calls.length;
    query.mockRestore();

    expect(report.imported).toBe(20_000);
    expect(progress.at(-1)).toBe(20_000);
    expect(statements).toBeGreaterThan(progress.length);
    expect(statements).toBeLessThan(progress.length + 25);
  });
});

describe('undoing an import', () => {
  test('takes out what it brought and nothing else, and lets the file come in again', async () => {
    const { familyId, importFile, entries } = await givenChecking();
    await importFile(await statementFile(COFFEES.slice(2)));
    const file = await statementFile(COFFEES);
    const { importId } = await importFile(file);
    const undo = () => harness.perform((work) => undoImport(work, { familyId, id: importId ?? '' }));

    expect(await undo()).toEqual({ entries: 2, transfers: 0 });
    expect(await entries()).toMatchObject([{ name: 'Salary' }]);
    await expect(undo()).rejects.toMatchObject({ code: 'conflict' });
    expect(await importFile(file)).toMatchObject({ imported: 2 });
  });

  test.each([
    ['inflow', '100.00', '-100.00'],
    ['outflow', '-100.00', '100.00'],
  ])('gives the %s that stays the kind it had before the transfer', async (_, stays, goes) => {
    const { familyId, importFile } = await givenChecking();
    const savings = await givenAccount(harness, { familyId, name: 'Savings', accountType: 'loan' });
    await givenStatement(harness, savings, [['2026-01-02', stays, 'stays']]);
    const { importId } = await importFile(await statementFile([['2026-01-02', goes, 'goes']]));
    const { pending } = await harness.perform((work) => matchTransfers(work, { familyId }));
    await harness.perform((work) => confirmTransfer(work, { familyId, id: pending[0]?.id ?? '' }));

    expect(await harness.perform((work) => undoImport(work, { familyId, id: importId ?? '' }))).toEqual({
      entries: 1,
      transfers: 1,
    });
    expect(await harness.query('select kind from transactions where family_id = $1', [familyId])).toEqual([
      { kind: 'standard' },
    ]);
  });

  test('takes its rejected pairs along', async () => {
    const { familyId, importFile } = await givenChecking();
    const savings = await givenAccount(harness, { familyId, name: 'Savings' });
    await givenStatement(harness, savings, [['2026-01-02', '100.00', 'in']]);
    const { importId } = await importFile(await statementFile([['2026-01-02', '-100.00', 'out']]));
    const { pending } = await harness.perform((work) => matchTransfers(work, { familyId }));
    await harness.perform((work) => rejectTransfer(work, { familyId, id: pending[0]?.id ?? '' }));

    expect(await harness.perform((work) => undoImport(work, { familyId, id: importId ?? '' }))).toEqual({
      entries: 1,
      transfers: 1,
    });
    expect(await harness.query('select rejected_transfers_count as pairs from families')).toEqual([
      { pairs: 0 },
    ]);
  });

  test.each(['nonsense', randomUUID()])('%s is not found', async (id) => {
    const { familyId } = await givenChecking();

    await expect(harness.perform((work) => undoImport(work, { familyId, id }))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
