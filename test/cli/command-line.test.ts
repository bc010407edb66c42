import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { CLI_VARIABLES } from '#cli/environment.ts';
import { EXIT_CODES } from '#cli/errors.ts';
import { LIST_FORMATS } from '#cli/formats.ts';
import { openHost } from '#cli/host.ts';
import { GROUPS } from '#cli/surface.ts';
import { SETTINGS } from '#config/settings.ts';
import { ROLES } from '#src/users/role.ts';
import { bufferedOutside, runCli } from '#test/support/cli.ts';

describe('help', () => {
  test('--help goes to stdout and is no failure', async () => {
    const { exitCode, stdout, stderr } = await runCli(['--help']);

    expect(exitCode).toBe(0);
    expect(stdout).toContain('Usage: financectl');
    for (const { name } of GROUPS) expect(stdout).toContain(`\n  ${name}`);
    expect(stderr).toBe('');
  });

  test.each([[[]], [['families']], [['users']], [['transfers']], [['config']], [['db']]])(
    'a group without a command (%j) shows its help on stderr and exits 2',
    async (argv) => {
      const { exitCode, stdout, stderr } = await runCli(argv);

      expect(exitCode).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toContain('Commands:');
    },
  );

  test('`help GROUP COMMAND` is the same as --help', async () => {
    const [asked, flagged] = await Promise.all([
      runCli(['help', 'import', 'undo']),
      runCli(['import', 'undo', '--help']),
    ]);

    expect(asked.stdout).toContain('Usage: financectl import undo');
    expect(asked).toEqual(flagged);
  });

  test('topics are made from the tables the code uses', async () => {
    const environment = await runCli(['help', 'environment']);
    const exitCodes = await runCli(['help', 'exit-codes']);

    for (const name of [...Object.keys(SETTINGS), ...Object.keys(CLI_VARIABLES)]) {
      expect(environment.stdout).toContain(`\n  ${name} `);
    }
    expect(environment.stdout).toContain('DATABASE_URL_FILE');
    for (const [code, meaning] of Object.entries(EXIT_CODES)) {
      expect(exitCodes.stdout).toMatch(new RegExp(`^ +${code} +`, 'm'));
      expect(exitCodes.stdout).toContain(meaning);
    }
    const [formats, roles] = await Promise.all([
      runCli(['help', 'formats']),
      runCli(['help', 'roles', '--json']),
    ]);
    for (const format of Object.keys(LIST_FORMATS))
      expect(formats.stdout).toMatch(new RegExp(`^ +${format} +`, 'm'));
    expect(Object.keys(JSON.parse(roles.stdout).roles)).toEqual([...ROLES]);
  });

  test('--version prints one line', async () => {
    const { exitCode, stdout } = await runCli(['-V']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a command line that cannot be understood', () => {
  test.each([
    [['familes'], "unknown command 'familes'", 'Did you mean families?'],
    [['families', 'lost'], "unknown command 'lost'", 'Did you mean'],
    [['families', 'list', '--jsn'], "unknown option '--jsn'", 'Did you mean --json?'],
    [
      ['accounts', 'create'],
      'these are required: <name>, --type <type>',
      "'financectl accounts create --help'",
    ],
    [['transfers', 'confirm'], '<id> is required', undefined],
    [
      ['accounts', 'create', 'A', 'B', '--type', 'loan'],
      'too many arguments',
      "'financectl accounts create --help'",
    ],
    [
      ['api-keys', 'create'],
      'these are required: --user <user>, --name <name>',
      "'financectl api-keys create --help'",
    ],
    [
      ['accounts', 'create', 'A', '--type', 'lone'],
      'Allowed choices are depository',
      'accounts create --help',
    ],
    [['import'], 'missing: a FILE and --account <account>', 'import --help'],
    [['transfers', 'match', 'only-one'], 'a transfer has two transactions, not 1', undefined],
    [['families', 'update'], 'nothing to change', '--name'],
    [['transactions', 'list', '--start-date', '2026-02-30'], 'must be a real date', undefined],
    [['transactions', 'list', '--limit', '0'], 'must be a whole number from 1', undefined],
    [
      ['api-keys', 'create', '--user', 'a', '--name', 'b', '--expires-in', '1y'],
      'hours, days or weeks',
      undefined,
    ],
    [['import', 'x.csv', '--account', 'A', '--map', 'when=1'], 'the field one of date, amount', undefined],
    [
      ['families', 'list', '--format', 'ymal'],
      '--format must be one of table, json, ndjson, csv, yaml',
      'Did you mean yaml?',
    ],
    [['config', 'check', '--format', 'ymal'], '--format must be one of json, yaml', 'Did you mean yaml?'],
    [['config', 'check', '--format', 'csv'], "'check' is no list", undefined],
    [['help', 'nonsense'], "unknown command 'nonsense'", undefined],
    [['help', 'provders'], "unknown command 'provders'", 'Did you mean providers?'],
    [['help', 'fromats'], "unknown command 'fromats'", 'Did you mean formats?'],
    [['audit', 'list', '--event', 'logn'], "'logn' is invalid", 'Did you mean login?'],
    [['import', 'x.csv', '--account', 'A', '--preset', 'mnit'], "'mnit' is invalid", 'Did you mean mint?'],
    [['import', 'x.csv', '--account', 'A', '--map', 'dat=1'], 'Did you mean date?', undefined],
    [
      ['users', 'create', '--email', 'a@b.c', '--new-family', 'X'],
      '--new-family and --currency belong together',
      undefined,
    ],
  ])('%j exits 2 and says so on stderr', async (argv, message, hint) => {
    const { exitCode, stdout, stderr } = await runCli(argv);

    expect(stderr).toContain(message);
    if (hint) expect(stderr).toMatch(/\n {2}hint: /);
    if (hint) expect(stderr).toContain(hint);
    expect(stderr).toMatch(/^error: /);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  test('with --json the error is one JSON document on stderr', async () => {
    const { exitCode, stderr } = await runCli(['families', 'lsit', '--json']);

    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr)).toEqual({
      error: 'usage',
      message: "unknown command 'lsit'",
      hint: expect.stringContaining('list'),
    });
  });
});

describe('global flags', () => {
  test('--json and another --format contradict each other', async () => {
    const { exitCode, stderr } = await runCli(['families', 'list', '--json', '--format', 'csv']);

    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      error: 'usage',
      message: expect.stringContaining('contradict'),
    });
  });

  test.each([
    [['--json', 'config', 'check']],
    [['config', '--json', 'check']],
    [['config', 'check', '--json']],
  ])('mean the same anywhere: %j', async (argv) => {
    const { exitCode, stdout, stderr } = await runCli(argv);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ valid: true });
    expect(stderr).toBe('All settings are valid\n');
  });

  test('--format may stand before the command too', async () => {
    const { stdout } = await runCli(['--format', 'ndjson', 'config', 'show']);

    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).name),
    ).toEqual(Object.keys(SETTINGS));
  });

  test('--quiet leaves results and errors', async () => {
    const { stdout, stderr } = await runCli(['config', 'check', '--quiet', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ valid: true });
    expect(stderr).toBe('');
  });

  test.each([
    [['-n'], {}, true],
    [['--no-dry-run'], { DRY_RUN: 'true' }, false],
    [[], { DRY_RUN: 'true' }, true],
    [[], { DRY_RUN: 'false' }, false],
    [['--dry-run'], { DRY_RUN: 'false' }, true],
    [[], {}, false],
  ])('dry run with %j and %j: %s', async (flags, env, expected) => {
    const program = new Command();
    program.option('-n, --dry-run').option('--no-dry-run').parse(flags, { from: 'user' });
    const host = openHost(bufferedOutside({ env }).outside, () => program.opts());

    expect(host.dryRun).toBe(expected);
  });
});

describe('settings', () => {
  test('config show tells each value and its source, and no secret', async () => {
    const env = { DATABASE_URL: 'postgres://u:hunter2@db/x', PORT: '4000', AUTH_AUTO_REDIRECT: 'true' };
    const { exitCode, stdout } = await runCli(['config', 'show', '--json'], { env });

    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('hunter2');
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        { name: 'DATABASE_URL', value: '(set)', source: 'environment' },
        { name: 'PORT', value: 4000, source: 'environment' },
        { name: 'APP_URL', value: 'http://localhost:4000', source: 'default' },
        { name: 'MIGRATION_DATABASE_URL', value: null, source: 'default' },
        { name: 'AUTH_AUTO_REDIRECT', value: true, source: 'environment' },
      ]),
    );
  });

  test('config check tells every problem at once', async () => {
    const env = { PORT: 'many', LOG_LEVEL: 'loud' };
    const { exitCode, stdout, stderr } = await runCli(['config', 'check'], { env });

    expect(exitCode).toBe(5);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: PORT must be .*\nerror: LOG_LEVEL must be .*\n {2}hint: /);
  });

  test("config check reads the providers' file too, and tells where each of them is wrong", async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'finance-check-')), 'auth.yml');
    await writeFile(
      path,
      `providers:\n${entry('okta', '')}${entry('off', ', enabled: false')}${entry('acme', ', issuer: nowhere')}`,
    );
    const env = { AUTH_PROVIDERS_FILE: path };

    const { exitCode, stdout, stderr } = await runCli(['config', 'check'], { env });
    const unread = await runCli(['config', 'check'], { env: { ...env, AUTH_PROVIDERS_SOURCE: 'db' } });
    const shipped = await runCli(['config', 'check']);

    expect([exitCode, unread.exitCode, shipped.exitCode]).toEqual([5, 0, 0]);
    expect(stdout).toBe('');
    const [first, second] = stderr.split('\n');
    expect(first).toContain(`provider okta cannot work: ${path}:2: issuer: must not be empty`);
    expect(second).toContain(`provider acme cannot work: ${path}:4: issuer: `);
    expect(stderr).not.toContain('provider off');
  });
});

const entry = (name: string, more: string) =>
  `  - { name: ${name}, strategy: openid_connect, client_id: finance${more} }\n`;
