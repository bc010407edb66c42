import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { exported, ndjson } from '#test/family-data/family-files.ts';
import { account, pair, TWO_ACCOUNTS, transaction, uuid } from '#test/family-data/records.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const FINANCECTL = fileURLToPath(new URL('../../bin/financectl', import.meta.url));
const SURE = fileURLToPath(new URL('../fixtures/sure/all.ndjson', import.meta.url));

const harness = useRuntime();
const folder = mkdtempSync(join(tmpdir(), 'finance-family-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(content: string | Uint8Array): string {
  files += 1;
  const file = join(folder, `file-${files}`);
  writeFileSync(file, content);
  return file;
}
/** The beginning of an archive, as far as anybody looks at it. */
const zip = (first: string) => `PK\u0003\u0004${'\0'.repeat(22)}\u000b\0\0\0${first}`;
const cli = (argv: string[], options: CliOptions = {}) =>
  runCli(argv, { runtime: harness.runtime, ...options });

describe('financectl export data', () => {
  test('writes what import reads, plain and compressed, to a file or to stdout', async () => {
    await givenHousehold(harness);
    expect(await cli(['import', SURE])).toMatchObject({ exitCode: 0 });
    const plain = await cli(['export', 'data']);
    const file = join(folder, 'plain.ndjson');
    expect(await cli(['export', 'data', '-o', file])).toMatchObject({ exitCode: 0, stdout: '' });
    const zipped = join(folder, 'smith.ndjson.gz');
    expect(await cli(['export', 'data', '--gzip', '-o', zipped])).toMatchObject({ exitCode: 0 });

    expect(plain.stderr).toBe(
      'Exported the family Smith: Family 1, Account 4, Category 2, Tag 1, Merchant 1, Transaction 11, Transfer 2, RejectedTransfer 1\n',
    );
    expect(readFileSync(file, 'utf8')).toBe(plain.stdout);
    expect(gunzipSync(readFileSync(zipped)).toString()).toBe(plain.stdout);

    // Recognised by its content, compressed too; ids are kept.
    expect(await cli(['import', zipped, '--new-family', 'Copy'])).toMatchObject({ exitCode: 0 });
    expect((await cli(['export', 'data', '--family', 'Copy'])).stdout).toBe(plain.stdout);
    const listed = await cli(['import', 'list', '--family', 'Copy', '--json']);
    expect(JSON.parse(listed.stdout)).toHaveLength(4);
    expect(JSON.parse(listed.stdout)[0]).toMatchObject({ source: 'sure', file_name: 'smith.ndjson.gz' });
  });

  test('is in the audit log, with what it held', async () => {
    const { familyId } = await givenHousehold(harness);
    await cli(['import', SURE]);
    await cli(['export', 'data']);

    const [event] = await harness.query(
      `select metadata from audit_events where event_type = 'family_exported' order by id desc limit 1`,
    );
    expect(event?.metadata).toMatchObject({
      family_id: familyId,
      family: 'Smith',
      complete: true,
      records: { Family: 1, Account: 4, Transaction: 11, RejectedTransfer: 1 },
    });
  });

  test('writes nothing that a terminal would take for commands', async () => {
    const { familyId } = await givenHousehold(harness);
    await harness.query(
      `insert into accounts (family_id, id, name, account_type, currency, status, created_at, updated_at)
       values ($1, $2, E'red \\u001b[31m \\u202e', 'depository', 'USD', 'active', now(), now())`,
      [familyId, uuid(1)],
    );
    const { stdout } = await cli(['export', 'data']);

    expect(stdout).toContain(String.raw`"name":"red \u001b[31m \u202e"`);
  });

  test.each<[string[], CliOptions, string]>([
    [['--json'], {}, '--json does not go with it'],
    [['--gzip'], { terminal: { stdout: true } }, 'nothing for a terminal'],
  ])('refuses %j %j', async (flags, options, message) => {
    await givenHousehold(harness);
    const { exitCode, stdout, stderr } = await cli(['export', 'data', ...flags], options);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

describe("financectl import of a family's data", () => {
  const TRANSFERS = ndjson([
    ...TWO_ACCOUNTS,
    pair('RejectedTransfer', 20, [11, 10]),
    pair('Transfer', 21, [13, 11]),
  ]);

  test('tells what was rejected by line, brings the rest, and exits with 6', async () => {
    await givenHousehold(harness);
    const file = fileOf(TRANSFERS);
    const { exitCode, stdout, stderr } = await cli(['import', file, '--format', 'sure']);

    expect(exitCode).toBe(6);
    expect(stderr).toContain(`${file}:8: Transfer: both transactions are in the same account\n`);
    expect(stderr).toContain(`${file}: Transaction: 4 new, 0 there already, 0 differ, 0 rejected\n`);
    expect(stderr).toContain(`${file}: RejectedTransfer: 1 new, 0 there already, 0 differ, 0 rejected\n`);
    expect(stderr).toContain('1 row was rejected');
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(await harness.query('select id from rejected_transfers')).toEqual([{ id: uuid(20) }]);
  });

  test('exits with 6 where something differs from what is here', async () => {
    await givenHousehold(harness);
    await cli(['import', fileOf(ndjson(TWO_ACCOUNTS))]);
    const { exitCode, stderr } = await cli([
      'import',
      fileOf(ndjson([account(1), transaction(10, { name: 'New' })])),
    ]);

    expect(exitCode).toBe(6);
    expect(stderr).toContain('1 record differs from what is here');
  });

  test('reads standard input, and says as JSON what came of it', async () => {
    await givenHousehold(harness);
    const { exitCode, stdout } = await cli(['import', '-', '--json'], { stdin: TRANSFERS });

    expect(exitCode).toBe(6);
    expect(JSON.parse(stdout)).toEqual([
      {
        file: '-',
        format: 'sure',
        family: { id: expect.any(String), name: 'Smith' },
        import_ids: [expect.any(String), expect.any(String)],
        records: {
          Account: { added: 2, present: 0, conflicts: 0, rejected: 0 },
          Transaction: { added: 4, present: 0, conflicts: 0, rejected: 0 },
          Transfer: { added: 0, present: 0, conflicts: 0, rejected: 1 },
          RejectedTransfer: { added: 1, present: 0, conflicts: 0, rejected: 0 },
        },
        skipped: {},
        conflict_count: 0,
        rejected_count: 1,
        messages: [{ line: 8, message: 'Transfer: both transactions are in the same account' }],
        notices: [],
      },
    ]);
  });

  test('rehearses it, the new family included', async () => {
    const { exitCode, stdout, stderr } = await cli(['import', SURE, '--new-family', 'Smith', '--dry-run']);

    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`${SURE}: RejectedTransfer: 1 new`);
    expect(stderr).toContain(
      `${SURE}: skipped, because it is not kept here: Balance 1, RecurringTransaction 1`,
    );
    expect(stderr).toContain('DRY RUN: nothing was saved');
    expect(await harness.query('select 1 from families')).toEqual([]);
  });

  test('looks for transfers too, when asked', async () => {
    await givenHousehold(harness);
    const { stderr } = await cli(['import', fileOf(ndjson(TWO_ACCOUNTS)), '--match']);

    expect(stderr).toContain('2 transfers proposed');
  });

  test.each<[string[], string, number, string]>([
    [[], zip('version.txt'), 5, 'unzip -p export.zip all.ndjson | financectl import - --format sure'],
    [['--format', 'sure'], zip('anything'), 5, 'unzip -p export.zip all.ndjson'],
    [['--account', 'Checking'], TRANSFERS, 2, 'leave out --account'],
    [['--format', 'sure', '--date-format', 'DD.MM.YYYY'], TRANSFERS, 2, 'leave out --date-format'],
    [['--new-family', 'New'], 'Date,Amount,Description\n2025-01-01,5,Coffee\n', 2, '--new-family is for'],
    [[], 'Date,Amount,Description\n2025-01-01,5,Coffee\n', 2, 'missing: --account'],
    [['--format', 'csv'], TRANSFERS, 2, 'missing: --account'],
    [['--format', 'sure'], 'Date,Amount,Description\n', 5, ':1: is no JSON object'],
    [['--new-family', 'New', '--family', 'Smith'], TRANSFERS, 2, 'cannot be used with'],
  ])('refuses %j', async (flags, content, code, message) => {
    await givenHousehold(harness);
    const { exitCode, stdout, stderr } = await cli(['import', fileOf(content), ...flags]);

    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toContain(message);
    expect(await harness.query('select 1 from accounts')).toEqual([]);
  });
});

test('an import that is killed leaves nothing behind, and succeeds when it is run again', async () => {
  const { familyId } = await givenHousehold(harness);
  const empty = await exported(harness, familyId);
  const many = Array.from({ length: 10_000 }, (_, index) => transaction(1_000 + index));
  const file = fileOf(gzipSync(ndjson([account(1), ...many])));
  const env = { PATH: process.env.PATH, DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE };
  const busy = () =>
    harness.query(
      `select 1 from pg_stat_activity where datname = current_database() and query like '%staged_transactions%'
       and pid <> pg_backend_pid() and backend_type = 'client backend' and xact_start is not null`,
    );

  const child = spawn(FINANCECTL, ['import', file, '--format', 'sure'], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await vi.waitUntil(async () => (await busy()).length > 0, { timeout: 20_000, interval: 5 });
  child.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  await vi.waitUntil(async () => (await busy()).length === 0, { timeout: 20_000, interval: 20 });

  expect(await exported(harness, familyId)).toBe(empty);
  expect(await cli(['import', file])).toMatchObject({ exitCode: 0 });
  expect(await harness.query('select count(*) from transactions')).toEqual([{ count: '10000' }]);
});

test('an export that cannot be finished leaves no file', async () => {
  await givenHousehold(harness);
  await cli(['import', SURE]);
  // No currency has this code, so its amounts cannot be written.
  await harness.query(`update entries set currency = 'QQQ' where id = $1`, [uuid(212)]);
  const file = join(folder, 'never.ndjson');
  const { exitCode } = await cli(['export', 'data', '-o', file]);

  expect(exitCode).toBe(5);
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
