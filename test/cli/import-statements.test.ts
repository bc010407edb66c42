import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { camt, entry } from '#test/imports/camt-text.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';
import { statementFile } from '#test/support/given.ts';

const harness = useRuntime();
const FIXTURES = join(import.meta.dirname, '../fixtures/statements');
const QIF = join(FIXTURES, 'quicken.qif');
const CAMT = join(FIXTURES, 'german-bank.camt.xml');

const cli = (argv: string[], options: CliOptions = {}) =>
  runCli(argv, { runtime: harness.runtime, ...options });

async function ok(...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await cli(argv);
  expect(exitCode, stderr).toBe(0);
  return stdout.trim();
}

const json = async (...argv: string[]) => JSON.parse(await ok(...argv, '--json'));

async function givenAccounts(): Promise<void> {
  await ok('families', 'create', 'Smith', '--currency', 'USD');
  await ok('accounts', 'create', 'Checking', '--type', 'depository');
  await ok('accounts', 'create', 'Giro', '--type', 'depository', '--currency', 'EUR');
}

async function fileOf(content: string | Buffer): Promise<string> {
  const file = join(tmpdir(), `statement-${randomUUID()}`);
  await writeFile(file, content);
  return file;
}

const stored = () =>
  harness.query(
    'select name, source, external_id, amount_cents::integer as cents from entries order by date, name',
  );

describe('a CAMT.053 statement', () => {
  test('comes in once, whatever overlaps', async () => {
    await givenAccounts();
    const bread = entry({ AcctSvcrRef: '', AddtlNtryInf: '<AddtlNtryInf>Bread</AddtlNtryInf>' });
    const rent = entry({ AddtlNtryInf: '<AddtlNtryInf>Rent</AddtlNtryInf>' });
    const march = await fileOf(camt([bread, bread, rent].join('\n')));
    const spring = await fileOf(camt([rent, bread, bread, bread].join('\n'), { version: '08' }));

    expect(await json('import', march, '--account', 'Checking')).toMatchObject([
      { format: 'camt053', imported: 3, duplicates: 0, rejected_count: 0 },
    ]);
    expect(await json('import', spring, '--account', 'Checking')).toMatchObject([
      { imported: 1, duplicates: 3 },
    ]);
    expect(await stored()).toEqual([
      ...Array.from({ length: 3 }, () => ({
        name: 'Bread',
        source: 'camt053',
        external_id: null,
        cents: 150,
      })),
      { name: 'Rent', source: 'camt053', external_id: 'r1', cents: 150 },
    ]);
  });

  test('brings the transactions of a batch, each once', async () => {
    await givenAccounts();
    await ok('accounts', 'create', 'Swiss', '--type', 'depository', '--currency', 'CHF');
    const argv = [
      join(FIXTURES, 'swiss-bank.camt.xml'),
      '--account',
      'Swiss',
      '--statement',
      'CH9300762011623852957',
    ];

    expect(await json('import', ...argv)).toMatchObject([{ imported: 3 }]);
    expect(await json('import', ...argv)).toMatchObject([{ imported: 0, duplicates: 3 }]);
    expect(await stored()).toMatchObject([
      { external_id: 'TX-1' },
      { external_id: 'BATCH-1/3' },
      { external_id: 'BATCH-1/2' },
    ]);
  });

  test('tells rejected entries by line and column, and what is pending', async () => {
    await givenAccounts();
    const entries = [entry(), entry({ Amt: '<Amt Ccy="EUR">1</Amt>' })];
    const pending = entry({ Sts: '<Sts>PDNG</Sts>' });
    const file = await fileOf(camt(`${entries.join('')}\n${pending}`));

    const { exitCode, stderr } = await cli(['import', file, '--account', 'Checking']);

    expect(exitCode).toBe(6);
    expect(stderr).toContain(`${file}:3:${1 + entry().length}: is in EUR, not in USD\n`);
    expect(stderr).toContain(`${file}:4: note: an entry that is not booked yet was left out\n`);
  });

  test.each([
    ['cut off', camt(entry()).slice(0, -20), /ends before <\/\w+>: it is cut off/],
    ['with a bomb inside', camt(entry()).replace('\n', '\n<!DOCTYPE a [<!ENTITY b "c">]>'), /document type/],
  ])('%s leaves nothing behind', async (_, content, message) => {
    await givenAccounts();

    const { exitCode, stderr } = await cli(['import', await fileOf(content), '--account', 'Checking']);

    expect(exitCode).toBe(5);
    expect(stderr).toMatch(message);
    expect(await stored()).toEqual([]);
    expect(await json('import', 'list')).toEqual([]);
  });
});

describe('a QIF file', () => {
  const argv = ['import', QIF, '--account', 'Checking', '--statement', 'Checking'];

  test('comes in once, splits as one row', async () => {
    await givenAccounts();

    expect(await json(...argv)).toMatchObject([{ format: 'qif', imported: 3, rejected_count: 0 }]);
    expect(await json(...argv)).toMatchObject([{ imported: 0, duplicates: 3 }]);
    expect(await stored()).toEqual([
      { name: 'Landlord', source: 'qif', external_id: null, cents: 123_456 },
      { name: 'Supermarket', source: 'qif', external_id: null, cents: 6000 },
      { name: 'Reference ATM', source: 'qif', external_id: null, cents: -25_000 },
    ]);
  });

  test('needs a choice of its accounts', async () => {
    await givenAccounts();

    const { exitCode, stderr } = await cli(['import', QIF, '--account', 'Checking']);

    expect(exitCode).toBe(5);
    expect(stderr).toContain('holds 2 accounts: "Checking", "Visa"');
  });

  test('of ambiguous dates names the option that is missing', async () => {
    await givenAccounts();
    const file = await fileOf('!Type:Bank\nD3/4/2024\nT-1.00\nPShop\n^\n');
    const into = ['import', file, '--account', 'Checking'];

    expect(await cli(into)).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('--date-format DD/MM/YYYY'),
    });
    await ok(...into, '--date-format', 'DD/MM/YYYY');
    expect(await json('transactions', 'list')).toMatchObject([{ date: '2024-04-03' }]);
  });
});

test('a dry run shows the rows and what was found out, and saves nothing', async () => {
  await givenAccounts();
  await ok('import', CAMT, '--account', 'Giro');

  const { exitCode, stdout, stderr } = await cli(['import', CAMT, '--account', 'Giro', '--dry-run']);
  const qif = await cli(['import', QIF, '--account', 'Checking', '--statement', 'Visa', '--dry-run']);

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/16\tduplicate\t2026-01-05\t€12.50\tBäckerei Müller & Söhne\n/);
  expect(stderr).toContain('found out: encoding utf-8, version camt.053.001.02');
  expect(qif.stdout).toMatch(/59\tnew\t2004-03-01\t\$9.99\tBooks\n/);
  expect(qif.stderr).toContain('found out: encoding utf-8, decimal ., dateFormat MM/DD/YYYY');
  expect(await stored()).toHaveLength(2);
});

test('comes from standard input as well', async () => {
  await givenAccounts();

  const { exitCode, stderr } = await cli(['import', '-', '--account', 'Checking'], { stdin: camt(entry()) });

  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain('<stdin>: 1 imported');
});

test('a format that is named must be that of the file', async () => {
  await givenAccounts();

  const { exitCode, stderr } = await cli(['import', QIF, '--account', 'Checking', '--format', 'camt053']);

  expect(exitCode).toBe(5);
  expect(stderr).toContain(`${QIF}:1: is QIF, not CAMT.053`);
});

test.each([
  ['eur', 'Checking is in USD, not in EUR'],
  ['bitcoin', '"bitcoin" is not an ISO 4217 currency code'],
])('--currency %s refuses an account in dollars', async (currency, message) => {
  await givenAccounts();
  const file = await statementFile([['2026-01-02', '-1.00', 'coffee']]);

  const { exitCode, stderr } = await cli(['import', file, '--account', 'Checking', '--currency', currency]);

  expect(exitCode).toBe(5);
  expect(stderr).toContain(message);
  await ok('import', file, '--account', 'Checking', '--currency', 'usd');
});
