import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { prepareSecretKeyBase } from '#src/embedded/next-secret-key-base.ts';
import { importStatement } from '#src/imports/import-statement.ts';
import { createLog } from '#src/kernel/log.ts';
import { newId } from '#src/kernel/new-id.ts';
import { createRuntime } from '#src/runtime.ts';
import { backUp, contentOf } from '#test/backup/support.ts';
import { leaveNothingBehind, newDataDir } from '#test/embedded/support.ts';
import { visit } from '#test/http/visitor.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold, type Line, statementFile } from '#test/support/given.ts';

const ROOT = join(import.meta.dirname, '../..');
const harness = useRuntime();
leaveNothingBehind();

/** Several processes and databases start one after the other. */
const SLOW = { timeout: 90_000 };

const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'finance-backup-'));
  folders.push(folder);
  return folder;
}

function start(bin: string, argv: string[], env: Record<string, string>) {
  const child = spawn(join(ROOT, 'bin', bin), argv, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

async function run(argv: string[], env: Record<string, string>) {
  const child = start('financectl', argv, env);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { exitCode, stdout, stderr };
}

/** The address of a server of its own, once it is ready. */
async function serve(env: Record<string, string>): Promise<{ url: string; stop(): Promise<void> }> {
  const child = start('finance-server', [], { HOST: '127.0.0.1', PORT: '0', ...env });
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, url } = JSON.parse(line);
    if (event !== 'server_ready') continue;
    child.stdout.resume();
    child.stderr.resume();
    return { url, stop };
  }
  throw new Error('the server ended before it was ready');
}

const listTransactions = async (url: string, key: string) => {
  const response = await fetch(`${url}/api/v1/transactions`, { headers: { 'X-Api-Key': key } });
  return { status: response.status, body: await response.json() };
};

describe('the embedded database', () => {
  test('moves to another folder while its service runs, with people, keys and secrets', SLOW, async () => {
    const [from, to] = [{ DATA_DIR: newDataDir() }, { DATA_DIR: newDataDir() }];
    const file = join(await newFolder(), 'finance.tar.gz');
    const first = await serve(from);
    const demo = JSON.parse((await run(['demo', 'load', '--json'], from)).stdout);
    const before = await listTransactions(first.url, demo.api_key);

    expect(await run(['backup', '-o', file], from)).toMatchObject({ exitCode: 0 });
    const secret = readFileSync(join(from.DATA_DIR, 'secret_key_base'), 'utf8');
    const restored = await run(['restore', file], to);
    const second = await serve(to);

    expect(restored).toMatchObject({ exitCode: 0, stdout: '' });
    expect(restored.stderr + restored.stdout).not.toContain(secret.trim());
    expect(before).toMatchObject({ status: 200 });
    expect(await listTransactions(second.url, demo.api_key)).toEqual(before);
    const visitor = visit(second);
    const [{ email, password }] = demo.users;
    await visitor.fill('/sessions/new', '/sessions', { email, password });
    expect((await visitor.get('/settings/security')).text).toContain(email);
    expect(readFileSync(join(to.DATA_DIR, 'secret_key_base'), 'utf8')).toBe(secret);
    expect(statSync(join(to.DATA_DIR, 'secret_key_base')).mode & 0o777).toBe(0o600);
    await Promise.all([first.stop(), second.stop()]);
  });

  test('keeps the secret that a restore replaces, and ends what a killed one has left', SLOW, async () => {
    const dataDir = newDataDir();
    const env = { DATA_DIR: dataDir };
    const folder = await newFolder();
    const secretFile = join(dataDir, 'secret_key_base');
    const secrets = () => readdirSync(dataDir).filter((name) => name.startsWith('secret_key_base'));
    await run(['families', 'create', 'Smith', '--currency', 'EUR'], env);
    await run(['backup', '-o', join(folder, 'finance.tar.gz')], env);
    const ofBackup = readFileSync(secretFile, 'utf8');
    const other = `${'x'.repeat(64)}\n`;
    writeFileSync(secretFile, other);
    const restore = ['restore', join(folder, 'finance.tar.gz'), '--replace', '--confirm', 'replace'];

    expect(await run([...restore, '--dry-run'], env)).toMatchObject({ exitCode: 0 });
    expect([secrets(), readFileSync(secretFile, 'utf8')]).toEqual([['secret_key_base'], other]);
    const replaced = await run(restore, env);

    const [, old = ''] = secrets();
    expect(replaced).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Restart the service') });
    expect(readFileSync(secretFile, 'utf8')).toBe(ofBackup);
    expect(old).toMatch(/^secret_key_base\.\d{4}-\d{2}-\d{2}T\d+Z$/);
    expect(readFileSync(join(dataDir, old), 'utf8')).toBe(other);

    // As a kill leaves it between the commit and the secret, and one before the commit.
    const open = () =>
      createRuntime(loadConfig(env), { log: createLog('silent', 2), statementTimeout: 8_000 });
    const runtime = await open();
    const { rows } = await runtime.pool.query(
      `select id from audit_events where event_type = 'backup_restored'`,
    );
    await prepareSecretKeyBase(dataDir, newId(), 'never committed'.repeat(9));
    await prepareSecretKeyBase(dataDir, rows[0].id, 'committed'.repeat(9));
    const next = await open();

    expect(next.secretKeyBase()).toBe('committed'.repeat(9));
    expect(secrets().filter((name) => name.endsWith('.next'))).toEqual([]);
    expect(secrets()).toHaveLength(3);
    await next.close();
    await runtime.close();
  });
});

const LINES = Array.from(
  { length: 10_000 },
  (_, index): Line => ['2026-01-02', `-${index + 1}.00`, `row ${index}`],
);

/** Resolves as soon as another process runs a statement that begins like this. */
async function running(statement: string): Promise<void> {
  for (;;) {
    const rows = await harness.query(
      `select 1 from pg_stat_activity where datname = '${new URL(harness.databaseUrl).pathname.slice(1)}'
         and pid <> pg_backend_pid() and query ilike '${statement}%' and state in ('active', 'idle in transaction')`,
    );
    if (rows.length > 0) return;
  }
}

describe('a restore that is stopped', () => {
  test(
    'by kill -9 or Ctrl-C at any step leaves what was there; the next one brings everything',
    SLOW,
    async () => {
      const env = { DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE };
      const file = join(await newFolder(), 'finance.tar.gz');
      const { familyId } = await givenHousehold(harness);
      await givenAccount(harness, { familyId, name: 'Checking' });
      const statement = await statementFile(LINES);
      await harness.perform((work) =>
        importStatement(work, { familyId, account: 'Checking', file: statement }),
      );
      writeFileSync(file, await backUp(harness.runtime), { mode: 0o600 });
      const backedUp = await contentOf(harness);
      await harness.query(`delete from entries where name like '%7'`);
      const present = await contentOf(harness);

      for (const [step, signal] of [
        ['delete from "entries"', 'SIGKILL'],
        ['copy "entries"', 'SIGKILL'],
        ['copy "transactions"', 'SIGINT'],
        ['analyze', 'SIGKILL'],
      ] as const) {
        const child = start('financectl', ['restore', file, '--replace', '--confirm', 'replace'], env);
        const ended = once(child, 'exit');
        await running(step);
        child.kill(signal);
        const [exitCode] = await ended;

        expect(exitCode).toBe(signal === 'SIGINT' ? 130 : null);
        expect(await contentOf(harness)).toEqual(present);
      }

      expect(await run(['restore', file, '--replace', '--confirm', 'replace'], env)).toMatchObject({
        exitCode: 0,
      });
      expect(await contentOf(harness)).toEqual(backedUp);
    },
  );
});

describe('a backup that is stopped', () => {
  test.each(['SIGKILL', 'SIGINT'] as const)('by %s leaves no file with its name', async (signal) => {
    const env = { DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE };
    const folder = await newFolder();
    // Nobody gets past this lock, so that the backup waits.
    const blocker = await harness.runtime.pool.connect();
    await blocker.query('begin; lock table transactions in access exclusive mode');
    const child = start('financectl', ['backup', '-o', join(folder, 'finance.tar.gz')], env);
    const ended = once(child, 'exit');
    await running('lock table');
    child.kill(signal);
    await ended;
    await blocker.query('rollback');
    blocker.release();

    const left = readdirSync(folder);
    expect(left).not.toContain('finance.tar.gz');
    if (signal === 'SIGINT') expect(left).toEqual([]);
  });
});
