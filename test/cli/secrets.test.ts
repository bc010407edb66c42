import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SETTINGS, type Setting } from '#config/settings.ts';
import { PREPARED, useExamples } from '#test/cli/example-lines.ts';
import { MARKER } from '#test/sso/given-provider.ts';
import { type CliResult, runCli } from '#test/support/cli.ts';
import { commandTree } from '#test/support/command-tree.ts';
import { PASSWORD } from '#test/support/populated.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMMANDS = (await commandTree()).filter(({ runs }) => runs);

/** Every secret an operator can set; each holds the word that must not come out. */
const PLANTED: Readonly<Record<string, string>> = {
  SECRET_KEY_BASE: 'planted-key-base-0123456789-0123456789',
  SESSION_SECRETS: 'planted-session-secret-0123456789-0123456789',
  AUDIT_ARCHIVE_S3_SECRET_ACCESS_KEY: 'planted-secret-access-key',
  METRICS_TOKEN: 'planted-metrics-token-0123456789',
  SMTP_URL: 'smtp://mailer:planted-smtp-password@127.0.0.1:1',
  ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY: 'planted-primary-key-0123456789',
  ACTIVE_RECORD_ENCRYPTION_DETERMINISTIC_KEY: 'planted-deterministic-key-0123456789',
  ACTIVE_RECORD_ENCRYPTION_KEY_DERIVATION_SALT: 'planted-salt-0123456789',
};
const DATABASE_URL = 'postgres://finance:planted-database-password@127.0.0.1:1/finance';
const NOT_SECRET = { MAIL_FROM: 'finance@example.com', AUDIT_ARCHIVE_S3_ACCESS_KEY_ID: 'AKIAEXAMPLE' };

const examples = useExamples({ ...PLANTED, ...NOT_SECRET });
const { harness, ready } = examples;

/** Every text that is secret: what was set, what was stored, what was typed, and what was handed out once. */
function secrets(): string[] {
  const { apiKey, session, invitation } = examples.made;
  const password = new URL(harness.databaseUrl).password;
  return [
    'planted-',
    MARKER,
    PASSWORD,
    'correct horse',
    apiKey,
    session,
    invitation,
    'PRIVATE KEY',
    password,
  ].filter((secret) => secret !== '');
}

function expectNoSecret(text: string, where: string): void {
  expect(
    secrets().filter((secret) => text.includes(secret)),
    where,
  ).toEqual([]);
}

test('every secret there is has been planted', () => {
  const names = Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { secret }]) =>
    secret ? [name] : [],
  );
  const covered = new Set([...Object.keys(PLANTED), 'DATABASE_URL', 'MIGRATION_DATABASE_URL']);

  expect(names.filter((name) => !covered.has(name))).toEqual([]);
});

const tells = (example: string) => !PREPARED[example]?.awaits && !example.includes(' --follow');
/** A file, or what follows > and goes to stdout here. */
const isWritten = (example: string) => tells(example) && / -o | > /.test(example);

/** Files whose purpose is to hold secrets: all of the database, and new keys of this run. */
const KEEPERS = /^(backup|keys generate|api-keys create) /;

/** What the command line wrote with -o, in plain text. */
function readOutput(argv: readonly string[]): string {
  const file = argv[argv.indexOf('-o') + 1];
  if (!argv.includes('-o') || file === undefined || !existsSync(file)) return '';
  const content = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(content) : content).toString('utf8');
}

describe('no secret comes out', () => {
  const lines = COMMANDS.flatMap(({ examples }) => [
    ...new Set([...examples.filter(tells).slice(0, 1), ...examples.filter(isWritten)]),
  ]);

  test('of what is written into files: some were', () => {
    expect(lines.filter((line) => isWritten(line) && !KEEPERS.test(line)).length).toBeGreaterThan(8);
  });

  test.each(lines)('of financectl %s', async (example) => {
    const { argv, env, stdin } = ready(example);
    const options = { runtime: harness.runtime, env: { ...env, DATABASE_URL: harness.databaseUrl }, stdin };

    const { stdout, stderr } = await runCli([...argv, '--debug'], options);

    expectNoSecret(stdout + stderr, example);
    const written = readOutput(argv);
    if (KEEPERS.test(example)) return;
    expectNoSecret(written, example);
    if (argv.includes('-o')) expect(written, 'the file was examined').not.toBe('');
  });

  test.each([
    [['config', 'show']],
    [['config', 'show', '--json']],
    [['config', 'check']],
    [['users', 'list', '--limit', 'x']],
    [['users', 'list', '--family', 'nobody']],
    [['providers', 'create', '--client-secret', 'planted-in-argv']],
  ])('of %j where the settings are those of an operator', async (argv) => {
    const { stdout, stderr } = await runCli([...argv, '--debug'], {
      runtime: harness.runtime,
      env: { ...PLANTED, ...NOT_SECRET, DATABASE_URL, MIGRATION_DATABASE_URL: DATABASE_URL },
    });

    expectNoSecret(stdout + stderr, argv.join(' '));
    expect((stdout + stderr).length).toBeGreaterThan(0);
  });

  test('of settings that are refused', async () => {
    const env = Object.fromEntries(
      [...Object.keys(PLANTED), 'DATABASE_URL'].map((name) => [name, 'planted-']),
    );
    const { exitCode, stdout, stderr } = await runCli(['config', 'check', '--debug'], {
      env: { ...env, PORT: 'x' },
    });

    expect(exitCode).toBe(5);
    expectNoSecret(stdout + stderr, 'config check');
  });

  test('of the log, the error or the stack of a process of its own', () => {
    const env = { PATH: '/usr/bin:/bin', ...PLANTED, ...NOT_SECRET, LOG_LEVEL: 'debug' };
    const run = (argv: string[], url: string) =>
      spawnSync(join(ROOT, 'bin/financectl'), [...argv, '--debug'], {
        encoding: 'utf8',
        env: { ...env, DATABASE_URL: url },
        timeout: 20_000,
      });
    const wrongPassword = new URL(harness.databaseUrl);
    wrongPassword.password = 'planted-database-password';

    const results = [
      run(['users', 'list'], harness.databaseUrl),
      run(['users', 'list'], DATABASE_URL),
      run(['users', 'list'], wrongPassword.href),
    ];

    expect(results.map(({ status }) => status)).toEqual([0, 7, 5]);
    for (const { stdout, stderr } of results) expectNoSecret(stdout + stderr, 'users list');
    expect(results[1]?.stderr).toMatch(/^ +at /m);
  });
});

test('no secret gets into the audit log', async () => {
  const really = async (argv: string[], stdin = ''): Promise<CliResult> => {
    const env = { AUTH_PROVIDERS_SOURCE: 'db', DATABASE_URL: harness.databaseUrl, ...PLANTED, ...NOT_SECRET };
    const result = await runCli(argv, { runtime: harness.runtime, env, stdin });
    expect(result.exitCode, `${argv.join(' ')}: ${result.stderr}`).toBe(0);
    return result;
  };
  const secret = ready('providers update okta --client-secret-file new-secret.txt');
  await really([...secret.argv, '--skip-verify']);
  await really(['users', 'set-password', 'bob@example.com'], 'planted-new-password-1234');
  await really(['providers', 'keygen', 'adfs']);
  const { stdout: key } = await really([
    'api-keys',
    'create',
    '--user',
    'ada@example.com',
    '--name',
    'second',
  ]);

  const [row] = await harness.query<{ text: string }>(
    'select string_agg(e::text, chr(10)) as text from audit_events e',
  );
  expect(row?.text).toContain('provider_updated');
  expectNoSecret(row?.text ?? '', 'audit_events');
  expect(row?.text).not.toContain(key.trim());
  for (const argv of [
    ['audit', 'list', '--json'],
    ['audit', 'list', '--format', 'csv'],
  ]) {
    const { stdout } = await really(argv);
    expectNoSecret(stdout, argv.join(' '));
  }
});
