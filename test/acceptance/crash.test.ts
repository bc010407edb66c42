import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { importStatement } from '#src/imports/import-statement.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold, type Line, statementFile } from '#test/support/given.ts';

const ROOT = join(import.meta.dirname, '../..');
const harness = useRuntime();

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(bin: string, argv: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(join(ROOT, 'bin', bin), argv, {
    env: { PATH: process.env.PATH, DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

/** Resolves as soon as another process runs a statement that begins like this. */
async function running(statement: string): Promise<void> {
  for (;;) {
    const rows = await harness.query(
      `select 1 from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()
         and query ilike $1 and state in ('active', 'idle in transaction')`,
      [`${statement}%`],
    );
    if (rows.length > 0) return;
  }
}

async function givenChecking(): Promise<string> {
  const { familyId } = await givenHousehold(harness);
  await givenAccount(harness, { familyId, name: 'Checking' });
  return familyId;
}

const LINES = Array.from(
  { length: 15_000 },
  (_, index): Line => ['2026-01-02', `-${index + 1}.00`, `row ${index}`],
);

describe('kill -9 of an import', () => {
  test.each([
    ['while it stages rows', 'insert into staged'],
    ['while it merges them', '%with numbered as'],
  ])('%s leaves nothing, and the next import brings everything once', async (_, statement) => {
    const familyId = await givenChecking();
    const file = await statementFile(LINES);
    const child = start('financectl', ['import', file, '--account', 'Checking']);
    const ended = once(child, 'exit');

    await running(statement);
    child.kill('SIGKILL');
    await ended;

    expect(await harness.query('select 1 from imports')).toEqual([]);
    expect(await harness.query('select 1 from entries limit 1')).toEqual([]);
    const report = await harness.perform((work) =>
      importStatement(work, { familyId, account: 'Checking', file }),
    );
    expect(report).toMatchObject({ imported: LINES.length, duplicates: 0 });
  });
});

describe('kill -9 of the server', () => {
  test('loses nothing: the next one answers the same', async () => {
    const { familyId, key } = await givenHousehold(harness);
    const account = await givenAccount(harness, { familyId, name: 'Checking' });
    const file = await statementFile([['2026-01-02', '-1.00', 'coffee']]);
    await harness.perform((work) => importStatement(work, { familyId, account: account.id, file }));
    const ask = async (url: string) => {
      const response = await fetch(`${url}/api/v1/transactions`, { headers: { 'X-Api-Key': key } });
      return { status: response.status, body: await response.json() };
    };

    const first = start('finance-server', [], { PORT: '0' });
    const before = await ask(await addressOf(first));
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = start('finance-server', [], { PORT: '0' });

    expect(before).toMatchObject({ status: 200, body: { pagination: { total_count: 1 } } });
    expect(await ask(await addressOf(second))).toEqual(before);
  });
});

/** The URL in the server's line about being ready. */
async function addressOf(server: ChildProcess): Promise<string> {
  let output = '';
  for await (const chunk of server.stdout ?? []) {
    output += String(chunk);
    const line = output.split('\n').find((text) => text.includes('"server_ready"') && text.endsWith('}'));
    if (line) return JSON.parse(line).url;
  }
  throw new Error(`the server ended: ${output}`);
}
