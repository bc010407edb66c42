import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { EXIT_CODES } from '#cli/errors.ts';
import { runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenPopulated, NOBODY, type Populated } from '#test/support/populated.ts';

const ROOT = join(import.meta.dirname, '../..');
const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' }, { shared: true });
const folder = mkdtempSync(join(tmpdir(), 'finance-exit-'));
let made: Populated;
beforeAll(async () => {
  made = await givenPopulated(harness);
  // Another run is at the audit log.
  await harness.query(
    `update job_leases set owner = gen_random_uuid(), expires_at = now() + interval '1 hour' where name = 'audit_retention'`,
  );
  writeFileSync(
    join(folder, 'auth.yml'),
    `providers:\n  - { name: new, strategy: openid_connect, issuer: "${NOBODY}", client_id: finance }\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What cron tells `audit archive`; its database is the one of the test all the same. */
const ARCHIVING = { DATABASE_URL: 'postgres://cron@127.0.0.1:1/finance', AUDIT_ARCHIVE_URL: folder };

const NO_ID = '0198c000-0000-7000-8000-000000000000';

/** Command lines of this process; those that signals end have a process of their own. */
const ENDINGS: [code: number, argv: () => string[], error: string | undefined][] = [
  [0, () => ['families', 'list'], undefined],
  [2, () => ['families', 'list', '--jsn'], 'usage'],
  [2, () => ['users'], undefined],
  [3, () => ['users', 'show', 'nobody@example.com'], 'not_found'],
  [3, () => ['import', '/nowhere/x.csv', '--account', 'Checking'], 'not_found'],
  [3, () => ['families', 'list', '--config', '/nowhere/x.env'], 'not_found'],
  [4, () => ['demo', 'clear'], 'confirmation_required'],
  [4, () => ['users', 'reactivate', 'ada@example.com'], 'conflict'],
  [4, () => ['users', 'list', '--actor', 'bob@example.com'], 'forbidden'],
  [5, () => ['families', 'create', 'X', '--currency', 'XXQ'], 'validation_failed'],
  [6, () => ['transfers', 'confirm', made.pendingId, NO_ID, '--dry-run'], 'partly_done'],
  [7, () => ['providers', 'test', 'okta'], 'service_unavailable'],
  [7, () => ['audit', 'archive'], 'service_unavailable'],
  [
    8,
    () => ['providers', 'migrate', '--file', join(folder, 'auth.yml'), '-n', '--skip-verify', '--exit-code'],
    'changes_pending',
  ],
];

describe('exit code', () => {
  test.each(ENDINGS)('%i is what a command line ends with', async (expected, argv, error) => {
    const env = { AUTH_PROVIDERS_SOURCE: 'db', ...ARCHIVING };
    const plain = await runCli(argv(), { runtime: harness.runtime, env });
    const json = await runCli([...argv(), '--json'], { runtime: harness.runtime, env });

    expect({ plain: plain.exitCode, json: json.exitCode }, plain.stderr).toEqual({
      plain: expected,
      json: expected,
    });
    if (error) expect(JSON.parse(json.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ error });
  });

  test('7 says what to wait for', async () => {
    const { stderr } = await runCli(['audit', 'archive'], {
      runtime: harness.runtime,
      env: ARCHIVING,
    });

    expect(stderr).toMatch(/^error: another process is at it .*\n {2}hint: Wait until it has finished/);
  });

  test('1 is what nobody expected', async () => {
    const { exitCode, stderr } = await runCli(['families', 'list', '--json']);

    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: 'internal_server_error' });
  });

  test('each of the table is tried here', () => {
    const tried = new Set([1, 129, 130, 143, ...ENDINGS.map(([code]) => code)]);

    expect(new Set(Object.keys(EXIT_CODES).map(Number))).toEqual(tried);
  });
});

const start = (argv: string[], env: Record<string, string>) =>
  spawn(join(ROOT, 'bin/financectl'), argv, { env: { PATH: '/usr/bin:/bin', ...env } });

describe('a signal', () => {
  test.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends with %i, and leaves nothing behind', async (signal, expected) => {
    const kept = mkdtempSync(join(folder, 'kept-'));
    const child = start(['import', '-', '--account', 'Checking'], { TMPDIR: kept });
    const said: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    await vi.waitFor(() => expect(readdirSync(kept)).toHaveLength(1), 20_000);
    const ended = once(child, 'close');

    child.kill(signal);

    expect((await ended)[0]).toBe(expected);
    expect(Buffer.concat(said).toString()).toBe(
      'error: interrupted; what was not finished was rolled back\n',
    );
    expect(readdirSync(kept)).toEqual([]);
  });

  test('that comes again ends at once', async () => {
    // Takes every connection, and never says anything.
    let connected = 0;
    const server = createServer(() => {
      connected += 1;
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.close();
    });
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const child = start(['users', 'list'], { DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` });
    await vi.waitFor(() => expect(connected).toBe(1), 20_000);
    const ended = once(child, 'close');
    const began = performance.now();

    // Within the first half second it counts as the same one, which npm has passed on.
    await vi.waitFor(() => expect(child.kill('SIGINT') && child.exitCode === null).toBe(false), {
      timeout: 10_000,
      interval: 100,
    });

    expect((await ended)[0]).toBe(130);
    // The first alone would wait for the connection to be given up, after five seconds.
    expect(performance.now() - began).toBeLessThan(4_000);
  });
});
