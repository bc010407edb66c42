import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COMPLETE } from '#cli/commands/completion/complete-word.ts';
import { EVENT_TYPES } from '#src/audit/event-types.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold } from '#test/support/given.ts';

const ROOT = join(import.meta.dirname, '../..');
const harness = useRuntime({}, { shared: true });

async function answer(words: string[], options: CliOptions = {}): Promise<string[]> {
  const env = { DATABASE_URL: harness.databaseUrl, AUTH_PROVIDERS_SOURCE: 'db', ...options.env };
  const { exitCode, stdout, stderr } = await runCli([COMPLETE, ...words], { ...options, env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

const HOSTILE = 'My $(touch pwned) `x` "y"';
let email = '';
beforeAll(async () => {
  const household = await givenHousehold(harness, { name: 'Smith' });
  email = household.email;
  for (const name of ['Checking', "It's mine", HOSTILE, 'Line'])
    await givenAccount(harness, { ...household, name });
  await harness.query(`update accounts set name = 'Line' || chr(10) || 'break' where name = 'Line'`);
  await harness.query(`insert into sso_providers (id, name, strategy, label, enabled, settings, secrets, created_at, updated_at)
    values ('okta', 'okta', 'openid_connect', 'Okta', true, '{}', '{}', now(), now())`);
});

describe('what completes a command line', () => {
  test('is commands with what they do, and flags', async () => {
    expect(await answer(['us'])).toEqual(['names', 'users\tpeople, and the role they have']);
    expect(await answer(['users', 'sus'])).toEqual(['names', 'suspend\tend access until reactivated']);
    expect(await answer(['user', 'list', '--jso'])).toEqual([
      'names',
      '--json\tone JSON document on stdout; errors as JSON on stderr',
    ]);
    const all = await answer(['']);
    for (const group of ['users', 'providers', 'completion', 'help'])
      expect(all.join('\n')).toContain(`\n${group}\t`);
  });

  test.each([
    [['users', 'list', '--format', 'y'], ['yaml']],
    [['users', 'list', '--format=y'], ['--format=yaml']],
    [['users', 'list', '--format', '=', 'y'], ['yaml']],
    [['--format', 'csv', 'users', 'list', '--rol'], ['--role\t']],
    [
      ['--format', ''],
      ['table', 'json', 'ndjson', 'csv', 'yaml'],
    ],
    [
      ['users', 'show', '--format', ''],
      ['json', 'yaml'],
    ],
    [['accounts', 'create', 'X', '--type', 'loa'], ['loan']],
    [['users', 'role', 'ada@example.com', 'adm'], ['admin']],
    [['families', 'list', '--', '--'], []],
    [['nonsense', ''], []],
    [['users', 'list', '--search', ''], []],
    [['help', 'for'], ['formats\t']],
    [['help', 'famil'], ['families\t']],
    [['help', 'users', 'sus'], ['suspend\t']],
  ])('%j is %j', async (words, expected) => {
    const [kind, ...candidates] = await answer(words);

    expect(kind).toBe('names');
    expect(candidates).toHaveLength(expected.length);
    for (const [index, start] of expected.entries())
      expect(candidates[index]).toMatch(new RegExp(`^${start}`));
  });

  test('is every event type', async () => {
    expect((await answer(['audit', 'list', '--event', ''])).slice(1)).toEqual([...EVENT_TYPES]);
  });

  test.each([
    [['import', '']],
    [['users', 'list', '-o', 'x']],
    [['--config', '']],
    [['providers', 'create', '--file', '']],
  ])('%j is a file', async (words) => {
    expect((await answer(words))[0]).toBe('files');
  });

  test('is names from the database, on one line each and without what could steer a terminal', async () => {
    expect((await answer(['accounts', 'update', ''])).slice(1)).toEqual(['Checking', "It's mine", HOSTILE]);
    expect((await answer(['accounts', 'update', 'Ch'])).slice(1)).toEqual(['Checking']);
    expect((await answer(['users', 'list', '--family', ''])).slice(1)).toEqual(['Smith']);
    expect((await answer(['users', 'show', ''])).slice(1)).toEqual([email]);
    expect((await answer(['--actor', ''])).slice(1)).toEqual([email]);
    expect((await answer(['providers', 'test', ''])).slice(1)).toEqual(['okta']);
    expect((await answer(['audit', 'list', '--provider', 'o'])).slice(1)).toEqual(['okta']);
  });

  test('is providers of the file, too, while they are in use', async () => {
    const env = {
      AUTH_PROVIDERS_SOURCE: 'yaml',
      AUTH_PROVIDERS_FILE: join(ROOT, 'test/fixtures/sure-auth.yml'),
    };

    expect((await answer(['providers', 'show', ''], { env })).length).toBeGreaterThan(2);
  });
});

describe('without a database at hand', () => {
  let folder = '';
  let silent: Server;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'finance-completion-'));
    silent = createServer(() => undefined).listen(0, '127.0.0.1');
    return () => {
      silent.close();
      rmSync(folder, { recursive: true });
    };
  });

  test('nothing is started, made or said', async () => {
    const env = { DATABASE_URL: '', DATA_DIR: join(folder, 'data') };

    expect(await answer(['users', 'show', ''], { env })).toEqual(['names']);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  test.each([
    ['nobody answers', 'postgres://u:p@127.0.0.1:1/x'],
    ['the settings are wrong', 'nonsense'],
  ])('where %s it is silent', async (_, DATABASE_URL) => {
    expect(await answer(['users', 'show', ''], { env: { DATABASE_URL } })).toEqual(['names']);
  });

  test('where the database hangs it gives up within moments', async () => {
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const began = performance.now();

    expect(
      await answer(['users', 'show', ''], { env: { DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` } }),
    ).toEqual(['names']);
    expect(performance.now() - began).toBeLessThan(2_500);
  });
});

const isInstalled = (shell: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, shell)));

const QUOTED = ['Checking', "It\\'s\\ mine", 'My\\ \\$\\(touch\\ pwned\\)\\ \\`x\\`\\ \\"y\\"'];

/** How each shell is asked, and what it must answer; those that are not installed are left out, bash never. */
const SHELLS = [
  {
    shell: 'bash',
    args: ['--norc'],
    script: `source <(financectl completion bash)
      try() { COMP_WORDS=(financectl "$@"); COMP_CWORD=$#; _financectl; printf '%s\\n' "\${COMPREPLY[@]}" -; }
      try us; try accounts update ''; try accounts update 'It\\'; try accounts update '"'; try users list --format = js
      try import state; try accounts update '$(touch pwned)'`,
    expected: [
      ['users'],
      QUOTED,
      ["It\\'s\\ mine"],
      ['Checking', "It's mine"],
      ['json'],
      ['statement.csv'],
      [],
    ],
  },
  {
    shell: 'zsh',
    args: ['-f'],
    script: `compdef() { :; }; compadd() { printf '%s\\n' "\${values[@]}"; }; _files() { echo files; }
      source <(financectl completion zsh)
      try() { words=(financectl "$@"); CURRENT=$#words; PREFIX=\${words[-1]}; _financectl; print -- -; }
      try us; try accounts update ''; try accounts update 'It\\'; try import state`,
    expected: [['users'], ['Checking', "It's mine", HOSTILE], ["It's mine"], ['files']],
  },
  {
    shell: 'fish',
    args: ['--no-config'],
    script: `financectl completion fish | source
      for line in "us" "accounts update " "accounts update It" "import state" "users list --format=j"
        complete -C "financectl $line"; echo -
      end`,
    expected: [
      ['users\tpeople, and the role they have'],
      ['Checking', "It's mine", HOSTILE],
      ["It's mine"],
      ['statement.csv'],
      ['--format=json'],
    ],
  },
];

describe('the script for', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'finance-shells-'));
    symlinkSync(join(ROOT, 'bin/financectl'), join(folder, 'financectl'));
    writeFileSync(join(folder, 'statement.csv'), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The candidates that the script prints, each set of them ended by a line with a dash. */
  function sh(shell: string, args: string[], script: string): string[][] {
    const { stdout, stderr, status } = spawnSync(shell, [...args, '-c', script], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: `${folder}:/usr/bin:/bin`,
        HOME: folder,
        DATABASE_URL: harness.databaseUrl,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      },
      timeout: 20_000,
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(existsSync(join(folder, 'pwned')), 'a name was executed').toBe(false);
    const sets = stdout.split(/^-\n/m).map((lines) => lines.split('\n').filter(Boolean));
    return sets.slice(0, -1);
  }

  test.each(SHELLS.filter(({ shell }) => shell === 'bash' || isInstalled(shell)))(
    '$shell completes and quotes, and executes nothing',
    ({ shell, args, script, expected }) => {
      expect(sh(shell, args, script)).toEqual(expected);
    },
  );
});
