import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { run } from '#cli/program.ts';
import { MIGRATIONS_PATH, readMigrationStatus } from '#src/database/migration-status.ts';
import { bufferedOutside, type CliResult } from '#test/support/cli.ts';
import { createDatabase, SECRET_KEY_BASE, withClient } from '#test/support/database.ts';

const ALL = readdirSync(MIGRATIONS_PATH)
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted();
const [FIRST = '', SECOND = '', ...REST] = ALL;

/** With a runtime of its own, as outside of tests. */
async function cli(url: string, argv: string[], env: Record<string, string> = {}): Promise<CliResult> {
  const { outside, stdout, stderr } = bufferedOutside({
    env: { DATABASE_URL: url, SECRET_KEY_BASE, ...env },
  });
  const { createRuntime: _, ...ordinary } = outside;
  const exitCode = await run(argv, ordinary);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

const executedIn = async (url: string) => (await withClient(url, readMigrationStatus)).executed;

describe('a dry run on a schema that is behind', () => {
  test.each([
    ['--dry-run', ['--dry-run'], {}],
    ['DRY_RUN', [], { DRY_RUN: 'true' }],
  ])('by %s is refused, says what to do, and migrates nothing', async (_, flags, env) => {
    const url = await createDatabase('empty');

    for (const command of [
      ['demo', 'load'],
      ['families', 'list'],
      ['providers', 'list'],
    ]) {
      const { exitCode, stderr } = await cli(url, [...command, ...flags], env);
      expect(exitCode, stderr).toBe(4);
      expect(stderr).toContain('financectl db migrate');
    }
    expect(await executedIn(url)).toEqual([]);
  });

  test('goes on once the schema is up to date', async () => {
    const url = await createDatabase('empty');

    expect((await cli(url, ['db', 'migrate', '--no-dry-run'], { DRY_RUN: 'true' })).exitCode).toBe(0);
    const { exitCode, stderr } = await cli(url, ['families', 'list', '--dry-run']);

    expect(exitCode, stderr).toBe(0);
  });
});

describe('db migrate', () => {
  test('--to stops there, and a second run finds nothing to do', async () => {
    const url = await createDatabase('empty');

    const first = await cli(url, ['db', 'migrate', '--to', SECOND]);
    const again = await cli(url, ['db', 'migrate', '--to', FIRST, '--json']);

    expect(first).toMatchObject({ exitCode: 0, stdout: `${FIRST}\n${SECOND}\n` });
    expect(first.stderr).toContain(`${REST.length} still pending`);
    expect(JSON.parse(again.stdout)).toEqual({ executed: [] });
    expect(await executedIn(url)).toEqual([FIRST, SECOND]);
  });

  test('--to an unknown one is exit code 3 and changes nothing', async () => {
    const url = await createDatabase('empty');

    const { exitCode, stderr } = await cli(url, ['db', 'migrate', '--to', 'Migration2']);

    expect(exitCode).toBe(3);
    expect(stderr).toContain(FIRST);
    expect(await executedIn(url)).toEqual([]);
  });

  test('--dry-run prints SQL that makes the schema, and changes nothing', async () => {
    const [url, other] = [await createDatabase('empty'), await createDatabase('empty')];

    const { stdout, stderr } = await cli(url, ['db', 'migrate', '--dry-run']);
    const json = JSON.parse((await cli(url, ['db', 'migrate', '--dry-run', '--to', FIRST, '--json'])).stdout);

    expect(stdout.match(/^-- Migration\w+$/gm)).toEqual(ALL.map((name) => `-- ${name}`));
    expect(stderr).toContain('nothing was saved');
    expect(json).toEqual({ pending: [FIRST], migrations: [{ name: FIRST, sql: expect.any(String) }] });
    expect(await executedIn(url)).toEqual([]);
    await withClient(other, (client) => client.query(stdout));
    const tables = await withClient(other, (client) =>
      client.query(
        `select 1 from pg_tables where tablename in ('families', 'audit_events', 'provider_metadata')`,
      ),
    );
    expect(tables.rowCount).toBe(3);
  });
});
