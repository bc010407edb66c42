import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '#cli/program.ts';
import { loadConfig } from '#config/env.ts';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { createLog } from '#src/kernel/log.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';
import { contentOf } from '#test/backup/support.ts';
import { bufferedOutside, type CliOptions, runCli } from '#test/support/cli.ts';
import { createDatabase, SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();
const cli = (argv: string[], options: CliOptions = {}) =>
  runCli(argv, { runtime: harness.runtime, ...options });

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'financectl-backup-'));
  file = join(folder, 'finance.tar.gz');
});
afterEach(() => rmSync(folder, { recursive: true }));

const restoreHere = (...flags: string[]) => cli(['restore', file, ...flags]);

const eventsOf = (type: string) =>
  harness.query('select actor_kind, metadata from audit_events where event_type = $1 order by id', [type]);

async function givenBackup(): Promise<void> {
  const { userId } = await givenHousehold(harness);
  await harness.perform((work) => createApiKey(work, { userId, name: 'more', scope: 'read' }));
  await cli(['backup', '-o', file]);
}

describe('backup', () => {
  test('writes one file, only for its owner, and says what it is', async () => {
    await givenHousehold(harness);

    const { exitCode, stdout, stderr } = await cli(['backup', '-o', file, '--json']);

    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('SECRET_KEY_BASE'),
    });
    expect(JSON.parse(stdout)).toEqual({
      file,
      created_at: expect.stringMatching(/Z$/),
      tables: expect.any(Number),
      rows: expect.any(Number),
      bytes: lstatSync(file).size,
      migrations: expect.arrayContaining(['Migration20261120000000_ledger']),
      secret_key_base: false,
    });
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['finance.tar.gz']);
    expect((await eventsOf('backup_created')).at(-1)).toMatchObject({
      actor_kind: 'cli',
      metadata: { rows: JSON.parse(stdout).rows, bytes: JSON.parse(stdout).bytes },
    });
  });

  test('goes to a pipe, but to no terminal, and not beside --json', async () => {
    const { exitCode, stdout } = await cli(['backup']);
    const terminal = await cli(['backup'], { terminal: { stdout: true } });
    const both = await cli(['backup', '--json']);

    expect({ exitCode, isGzip: stdout.startsWith('\x1f') }).toEqual({ exitCode: 0, isGzip: true });
    expect(terminal).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('-o FILE') });
    expect(both).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('takes no file without -o, and says so', async () => {
    const { exitCode, stderr } = await cli(['backup', file]);

    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('backup -o FILE'),
    });
  });

  test('replaces no file unless it is forced to', async () => {
    writeFileSync(file, 'precious');

    expect(await cli(['backup', '-o', file])).toMatchObject({ exitCode: 4 });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await cli(['backup', '-o', file, '--force', '--quiet'])).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  test('is made in a dry run too, which changes nothing in the database', async () => {
    const before = await eventsOf('backup_created');

    const { exitCode, stderr } = await cli(['backup', '-o', file, '--dry-run']);

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('DRY RUN') });
    expect(readdirSync(folder)).toEqual(['finance.tar.gz']);
    expect(await eventsOf('backup_created')).toEqual(before);
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const stop = new AbortController();
    stop.abort('SIGINT');

    expect(await cli(['backup', '-o', file], { signal: stop.signal })).toMatchObject({ exitCode: 130 });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('backup verify', () => {
  test('says what a backup holds, without a database', async () => {
    await givenHousehold(harness);
    await cli(['backup', '-o', file]);

    const { exitCode, stdout } = await runCli(['backup', 'verify', file, '--json']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      product_version: expect.any(String),
      tables: expect.arrayContaining([
        { name: 'users', rows: 1 },
        { name: 'entries', rows: 0 },
      ]),
      secret_key_base: false,
    });
    expect((await runCli(['backup', 'verify', file])).stdout).toMatch(/^ {2}users +1$/m);
  });

  test.each([
    ['missing', 3, 'not found'],
    ['folder', 5, 'not an ordinary file'],
    ['text', 5, 'not a backup'],
    ['cut', 5, 'damaged'],
  ])('exits with a code of its own for what is %s', async (kind, exitCode, message) => {
    await cli(['backup', '-o', file]);
    if (kind === 'missing' || kind === 'folder') rmSync(file);
    if (kind === 'folder') mkdirSync(file);
    if (kind === 'text') writeFileSync(file, 'hello');
    if (kind === 'cut') writeFileSync(file, readFileSync(file).subarray(0, -100));

    const result = await runCli(['backup', 'verify', file]);

    expect(result).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(message) });
  });
});

describe('restore', () => {
  const opened: Runtime[] = [];
  afterEach(async () => {
    for (const runtime of opened.splice(0)) await runtime.close();
  });
  async function newTarget(kind: 'empty' | 'migrated') {
    const config = loadConfig({ DATABASE_URL: await createDatabase(kind), SECRET_KEY_BASE });
    const options = { log: createLog('silent', 2), statementTimeout: 8_000, migrateFirst: false };
    const target = await createRuntime(config, options);
    opened.push(target);
    return { target, ask: async (sql: string) => (await target.pool.query(sql)).rows };
  }

  test('fills an empty database', async () => {
    await givenBackup();
    const { target, ask } = await newTarget('empty');

    const { exitCode, stdout, stderr } = await cli(['restore', file, '--json'], { runtime: target });

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Restored') });
    expect(JSON.parse(stdout)).toMatchObject({
      replaced: false,
      migrations_run: [],
      secret_key_base: 'not_kept',
    });
    expect(await contentOf({ query: ask })).toEqual(await contentOf(harness));
  });

  test('reads a pipe', async () => {
    await givenBackup();
    const { target, ask } = await newTarget('migrated');
    const { outside } = bufferedOutside({ runtime: target });

    // Bytes, which a text would not carry.
    const exitCode = await run(['restore', '-'], { ...outside, stdin: Readable.from([readFileSync(file)]) });

    expect(exitCode).toBe(0);
    expect(await contentOf({ query: ask })).toEqual(await contentOf(harness));
  });

  test('a dry run leaves the database without a table', async () => {
    await givenBackup();
    const { target, ask } = await newTarget('empty');

    const { exitCode, stderr } = await cli(['restore', file, '--dry-run'], { runtime: target });

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('DRY RUN') });
    expect(await ask(`select 1 from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  test('replaces what is there only when somebody types that they mean it', async () => {
    await givenBackup();
    const { email } = await givenHousehold(harness, { name: 'Later' });

    expect(await restoreHere()).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('--replace') });
    expect(await restoreHere('--replace', '--yes')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('--confirm replace'),
    });
    expect(await restoreHere('--replace', '--confirm', 'yes')).toMatchObject({ exitCode: 4 });
    expect(await harness.query('select 1 from users where email = $1', [email])).toHaveLength(1);

    expect(await restoreHere('--replace', '--confirm', 'replace')).toMatchObject({ exitCode: 0 });
    expect(await harness.query('select 1 from users where email = $1', [email])).toEqual([]);
    expect((await eventsOf('backup_restored')).at(-1)).toMatchObject({ metadata: { replaced: true } });
  });

  test('acts in the name of a super admin of the backup only', async () => {
    await givenBackup();
    const { target, ask } = await newTarget('migrated');

    const nobody = await cli(['restore', file, '--actor', 'nobody@example.com'], { runtime: target });

    expect(nobody).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('no active super_admin') });
    expect(await ask(`select 1 from users`)).toEqual([]);
  });

  test('says when stored secrets cannot be read with the keys that are set', async () => {
    await harness.query(
      `insert into sso_providers (id, name, strategy, label, enabled, settings, secrets, created_at, updated_at)
       values ('okta', 'okta', 'openid_connect', 'Okta', true, '{}', '{"client_secret": "v1.x"}', now(), now())`,
    );
    await givenBackup();
    const { target } = await newTarget('migrated');

    const { exitCode, stderr } = await cli(['restore', file], { runtime: target });

    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('keys check'),
    });
  });
});
