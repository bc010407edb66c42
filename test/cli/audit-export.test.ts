import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '#cli/program.ts';
import { givenEvents, givenSeries } from '#test/audit/given-events.ts';
import { bufferedOutside, runCli } from '#test/support/cli.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';
import { givenUser } from '#test/users/given-user.ts';

const FINANCECTL = fileURLToPath(new URL('../../bin/financectl', import.meta.url));
const harness = useRuntime({}, { shared: true });
const folder = mkdtempSync(join(tmpdir(), 'finance-export-'));
let ada = '';
let bob = '';

const audit = (...argv: string[]) => runCli(['audit', ...argv], { runtime: harness.runtime });
const exported = (...argv: string[]) => audit('export', ...argv);
const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const recordsOf = (output: string): string[][] => parse(output);
const lastRecorded = () =>
  harness.query(
    `select metadata from audit_events where event_type = 'audit_exported' order by created_at desc, id desc limit 1`,
  );

beforeAll(async () => {
  ada = (await givenUser(harness, 'ada@example.com')).id;
  bob = (await givenUser(harness, 'bob@example.com')).id;
  await givenEvents(
    harness,
    Array.from({ length: 40 }, (_, index) => ({
      created_at: new Date(Date.UTC(2026, 0, 1 + index, index % 24)).toISOString(),
      user_id: index % 2 ? ada : bob,
      actor_id: index % 3 ? null : bob,
      event_type: index % 5 ? 'login' : 'login_failed',
      provider: index % 4 ? null : 'okta',
      user_agent: '=HYPERLINK("http://example.com")',
      metadata: { number: index, list: ['a', 1, null] },
    })),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('financectl audit export', () => {
  const filters = [
    ['--user', 'ada@example.com'],
    ['--actor-user', 'bob@example.com'],
    ['--event', 'login_failed', '--until', '2026-03-01'],
    ['--provider', 'okta'],
    ['--since', '2026-01-10T10:00:00Z', '--until', '2026-01-20'],
    ['--user', 'bob@example.com', '--provider', 'okta', '--event', 'login', '--since', '2026-01-02'],
    ['--provider', 'nobody'],
  ];

  test.each(filters)('%s %s picks what audit list picks, oldest first', async (...flags) => {
    const [list, ndjson, json] = await Promise.all([
      audit('list', '--limit', '1000', '--json', ...flags),
      exported(...flags),
      exported('--json', ...flags),
    ]);
    const listed = JSON.parse(list.stdout).toReversed();

    expect(listed.length > 0).toBe(!flags.includes('nobody'));
    expect(linesOf(ndjson.stdout)).toEqual(listed);
    expect(JSON.parse(json.stdout)).toEqual(listed);
    expect(ndjson.stderr.startsWith(`Exported ${listed.length} events\n`)).toBe(true);
  });

  test('as CSV is what audit list writes', async () => {
    const flags = ['--provider', 'okta', '--format', 'csv'];
    const [list, csv] = await Promise.all([audit('list', '--limit', '1000', ...flags), exported(...flags)]);
    const [heading, ...rows] = recordsOf(list.stdout);

    expect(recordsOf(csv.stdout)).toEqual([heading, ...rows.toReversed()]);
    expect(csv.stdout).toContain(`"'=HYPERLINK(""http://example.com"")"`);
  });

  test('with --gzip is the same, compressed, in a file that only its owner can read', async () => {
    const file = join(folder, 'audit.ndjson.gz');
    const flags = ['--provider', 'okta'];
    const plain = await exported(...flags);
    const { exitCode, stdout } = await exported(...flags, '--gzip', '-o', file);

    expect([exitCode, stdout]).toEqual([0, '']);
    expect(gunzipSync(readFileSync(file)).toString()).toBe(plain.stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is recorded before anything is written, with what was asked for', async () => {
    await exported('--user', 'ada@example.com', '--since', '2026-01-03', '--format', 'csv');

    expect(await lastRecorded()).toMatchObject([
      {
        metadata: {
          format: 'csv',
          filter: { user_id: ada, since: '2026-01-03T00:00:00.000Z' },
          include_archive: false,
        },
      },
    ]);
  });

  test('is not recorded by a dry run', async () => {
    const before = await lastRecorded();
    const { stdout, stderr } = await exported('--provider', 'okta', '--dry-run');

    expect(linesOf(stdout)).toHaveLength(10);
    expect(stderr).toContain('DRY RUN');
    expect(await lastRecorded()).toEqual(before);
  });

  test('tells somebody at a terminal how far it has come', async () => {
    const { stderr } = await runCli(['audit', 'export', '--provider', 'okta'], {
      runtime: harness.runtime,
      terminal: { stderr: true },
    });

    expect(stderr).toMatch(/^\r.*audit export: \d+% 10 of \d+ events/);
    expect(stderr).toContain('Exported 10 events\n');
  });

  test.each([
    [['--format', 'table'], '--format must be one of ndjson, csv, json'],
    [['--format', 'yaml'], '--format must be one of ndjson, csv, json'],
    [['--json', '--format', 'csv'], 'contradict'],
    [['--event', 'nonsense'], 'nonsense'],
  ])('refuses %j', async (flags, message) => {
    const { exitCode, stdout, stderr } = await exported(...flags);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('writes nothing compressed to a terminal', async () => {
    const before = await lastRecorded();
    const { exitCode, stdout, stderr } = await runCli(['audit', 'export', '--gzip'], {
      runtime: harness.runtime,
      terminal: { stdout: true },
    });

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('-o FILE');
    expect(await lastRecorded()).toEqual(before);
  });
});

/** The command as a process of its own. */
function start(argv: string[], stdout: 'pipe' | number = 'pipe') {
  const env = { PATH: process.env.PATH, DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE };
  const child = spawn(FINANCECTL, ['audit', 'export', ...argv], { env, stdio: ['ignore', stdout, 'pipe'] });
  const ended = once(child, 'exit');
  const said = child.stderr ? text(child.stderr) : Promise.resolve('');
  return { child, result: async () => ({ exitCode: (await ended)[0], stderr: await said }) };
}

describe('an export that ends before its end', () => {
  const many = '0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e';
  beforeAll(() => givenSeries(harness, many, 5_000));

  test.each([[[]], [['--gzip']]])('%j because nobody reads any more is no failure', async (flags) => {
    const { child, result } = start(flags);
    await once(child.stdout ?? child, 'readable');
    child.stdout?.destroy();

    expect(await result()).toEqual({ exitCode: 0, stderr: '' });
  });

  test.each([[[]], [['--gzip']]])('%j because the disk is full is a failure, told once', async (flags) => {
    expect(await start(flags, openSync('/dev/full', 'w')).result()).toEqual({
      exitCode: 1,
      stderr:
        'error: stdout cannot be written (ENOSPC)\n  hint: The disk is full: make room, or write elsewhere.\n',
    });
  });

  test('because the disk is full is told in JSON to a program', async () => {
    const { exitCode, stderr } = await start(['--json'], openSync('/dev/full', 'w')).result();

    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toEqual({
      error: 'output_failed',
      message: 'stdout cannot be written (ENOSPC)',
      hint: expect.any(String),
    });
  });

  test('because there is no room for its file names the file, and leaves none', async () => {
    const file = join(folder, 'large.ndjson');
    // The limit stands in for a full disk: 100 kB for a file.
    const script = `trap '' XFSZ; ulimit -f 200; exec "$0" audit export -o "$1"`;
    const env = { PATH: process.env.PATH, DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE };
    const child = spawn('/bin/sh', ['-c', script, FINANCECTL, file], { env });
    const [said, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    expect({ exitCode, said }).toEqual({
      exitCode: 1,
      said: `error: No room left to write: ${file} (EFBIG)\n  hint: Make room, or write elsewhere, then run it again.\n`,
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('large'))).toEqual([]);
  });

  test.each([[[]], [['--gzip']]])('%j because it is terminated ends with 143, and says so', async (flags) => {
    const { child, result } = start(flags);
    await once(child.stdout ?? child, 'readable');
    child.kill('SIGTERM');

    expect(await result()).toMatchObject({ exitCode: 143, stderr: expect.stringContaining('interrupted') });
    child.stdout?.destroy();
  });

  test('because it is interrupted ends with 130, though nobody reads', async () => {
    const stop = new AbortController();
    const { outside, stderr } = bufferedOutside({ runtime: harness.runtime, signal: stop.signal });
    let held = 0;
    const stuck = new Writable({
      highWaterMark: 1,
      write: (chunk: Buffer) => {
        held += chunk.length;
        stop.abort('SIGINT');
      },
    });

    const exitCode = await run(['audit', 'export'], { ...outside, stdout: stuck });

    expect(exitCode).toBe(130);
    expect(stderr.text()).toContain('interrupted');
    expect(held + stuck.writableLength).toBeLessThan(500_000);
  });

  test('because it is interrupted leaves no file', async () => {
    const lock = await harness.runtime.pool.connect();
    const stop = new AbortController();
    try {
      // Nobody can read it before this one lets go.
      await lock.query('begin; lock table users in access exclusive mode');
      const { outside } = bufferedOutside({ runtime: harness.runtime, signal: stop.signal });
      const ended = run(['audit', 'export', '-o', join(folder, 'never.ndjson')], outside);
      const waiting = () =>
        harness.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%row_to_json%'`,
        );
      await expect.poll(waiting, { timeout: 5_000 }).toHaveLength(1);
      stop.abort('SIGTERM');

      expect(await ended).toBe(143);
      expect(readdirSync(folder).filter((name) => name.startsWith('never'))).toEqual([]);
    } finally {
      await lock.query('rollback');
      lock.release();
    }
  });
});
