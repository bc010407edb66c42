import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { run as runProgram } from '#cli/program.ts';
import { loadConfig } from '#config/env.ts';
import { loadDemo } from '#src/demo/load-demo.ts';
import { prepareSecretKeyBase } from '#src/embedded/next-secret-key-base.ts';
import { createLog } from '#src/kernel/log.ts';
import { newId } from '#src/kernel/new-id.ts';
import { createRuntime } from '#src/runtime.ts';
import { backUp, contentOf, restoreTo } from '#test/backup/support.ts';
import { leaveNothingBehind, newDataDir } from '#test/embedded/support.ts';
import { serve } from '#test/http/serve.ts';
import { visit } from '#test/http/visitor.ts';
import { bufferedOutside } from '#test/support/cli.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

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

function start(
  bin: string,
  argv: string[],
  env: Record<string, string>,
  stdin: 'ignore' | 'pipe' = 'ignore',
) {
  const child = spawn(join(ROOT, 'bin', bin), argv, {
    env: { PATH: process.env.PATH, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

/** In this process, with a database of its own as outside of tests. */
async function run(argv: string[], env: Record<string, string>) {
  const { outside, stdout, stderr } = bufferedOutside({ env });
  const { createRuntime: _, ...ordinary } = outside;
  const exitCode = await runProgram(argv, ordinary);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

const open = (env: Record<string, string>, schema: { migrateFirst?: boolean } = {}) =>
  createRuntime(loadConfig(env), { log: createLog('silent', 2), statementTimeout: 8_000, ...schema });

/** The address of a server of its own, once it is ready. */
async function startServer(env: Record<string, string>): Promise<{ url: string; stop(): Promise<void> }> {
  const child = start('finance-server', [], { HOST: '127.0.0.1', PORT: '0', ...env });
  if (!child.stdout) throw new Error('no pipe');
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, url } = JSON.parse(line);
    if (event !== 'server_ready') continue;
    child.stdout.resume();
    child.stderr?.resume();
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
    // Without a table yet; it is here so that both are made at the same time.
    const [first, runtime] = await Promise.all([startServer(from), open(to, { migrateFirst: false })]);
    const demo = JSON.parse((await run(['demo', 'load', '--json'], from)).stdout);
    const before = await listTransactions(first.url, demo.api_key);

    expect(await run(['backup', '-o', file], from)).toMatchObject({ exitCode: 0 });
    const secret = readFileSync(join(from.DATA_DIR, 'secret_key_base'), 'utf8');
    const restored = await run(['restore', file], to);
    await using second = await serve(runtime);

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
    await Promise.all([first.stop(), runtime.close()]);
  });

  test('keeps the secret that a restore replaces, and ends what a killed one has left', SLOW, async () => {
    const dataDir = newDataDir();
    const env = { DATA_DIR: dataDir };
    // So that it goes on running.
    const runtime = await open(env);
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
    const { rows } = await runtime.pool.query(
      `select id from audit_events where event_type = 'backup_restored'`,
    );
    await prepareSecretKeyBase(dataDir, newId(), 'never committed'.repeat(9));
    await prepareSecretKeyBase(dataDir, rows[0].id, 'committed'.repeat(9));
    const next = await open(env);

    expect(next.secretKeyBase()).toBe('committed'.repeat(9));
    expect(secrets().filter((name) => name.endsWith('.next'))).toEqual([]);
    expect(secrets()).toHaveLength(3);
    await next.close();
    await runtime.close();
  });
});

/** Of the database of the tests. */
const environment = () => ({ DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE });

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

const startRestore = () =>
  start('financectl', ['restore', '-', '--replace', '--confirm', 'replace'], environment(), 'pipe');

describe('a restore that is stopped', () => {
  test('at any step leaves what was there; the next one brings everything', SLOW, async () => {
    await harness.perform((work) => loadDemo(work, { baseUrl: 'http://localhost' }));
    // Stored and not packed, so that it can be cut where its parts begin.
    const file = gzipSync(gunzipSync(await backUp(harness.runtime)), { level: 0 });
    const backedUp = await contentOf(harness);
    await harness.query(`delete from entries where id::text like '%7'`);
    const present = await contentOf(harness);
    // Each gets as much of the file as takes it so far, and waits for more.
    const steps = [
      { step: 'delete from', end: file.indexOf('tables/'), signal: 'SIGKILL' },
      { step: 'copy "entries"', end: file.indexOf('tables/entries/') + 20_000, signal: 'SIGINT' },
      { step: 'copy "entries"', end: file.indexOf('tables/entries/') + 20_000, signal: 'SIGKILL' },
      { step: 'copy "users"', end: file.indexOf('checksums.json'), signal: 'SIGKILL' },
    ] as const;
    for (const { child, step, end, signal } of steps.map((each) => ({ ...each, child: startRestore() }))) {
      const ended = once(child, 'exit');
      child.stdin?.write(file.subarray(0, end));
      await running(step);
      child.kill(signal);
      const [exitCode] = await ended;

      expect(exitCode).toBe(signal === 'SIGINT' ? 130 : null);
      expect(await contentOf(harness)).toEqual(present);
    }

    await restoreTo(harness.runtime, file, { replace: true });
    expect(await contentOf(harness)).toEqual(backedUp);
  });
});

describe('a backup that is stopped', () => {
  test.each(['SIGKILL', 'SIGINT'] as const)('by %s leaves no file with its name', async (signal) => {
    const folder = await newFolder();
    // Nobody gets past this lock, so that the backup waits.
    const blocker = await harness.runtime.pool.connect();
    await blocker.query('begin; lock table transactions in access exclusive mode');
    const child = start('financectl', ['backup', '-o', join(folder, 'finance.tar.gz')], environment());
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
