import { parse as parseCsv } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { readJsonKeys } from '#cli/json-keys.ts';
import { PREPARED, useExamples } from '#test/cli/example-lines.ts';
import { compareWithTable } from '#test/cli/json-paths.ts';
import { type CliOptions, type CliResult, runCli } from '#test/support/cli.ts';
import { commandTree, type TreeCommand } from '#test/support/command-tree.ts';

const TREE = await commandTree();
const COMMANDS = TREE.filter(({ runs }) => runs);
const LISTS = COMMANDS.filter(({ command }) =>
  command.options.some(({ long, argChoices }) => long === '--format' && argChoices?.includes('table')),
);
const { harness, ready } = useExamples({ AUDIT_RETENTION: 'extended' });

/** An example that asks nobody; what it says of the form of its result is left out. */
function runPlain(example: string, more: string[], options: CliOptions = {}): Promise<CliResult> {
  const { argv, env, stdin } = ready(example);
  const given = argv.filter(
    (word, index) =>
      // A backup is a file.
      argv[0] === 'backup' || (!FORM.test(word) && !/^(-o|--output|--format)$/.test(argv[index - 1] ?? '')),
  );
  const result = { runtime: harness.runtime, stdin, ...options, env: { ...env, ...options.env } };
  return runCli([...given, ...more], result);
}

const FORM = /^(-o|--output|--format|--json|--quiet|--gzip)$/;

const isEndless = (example: string) =>
  PREPARED[example]?.awaits !== undefined || example.includes('--follow');

function plainExample({ path, examples }: TreeCommand): string {
  return examples.find((example) => !isEndless(example)) ?? path;
}

const BROKEN = 'Date,Amount,Description\n2026-05-01,-1.00,Tea\nnonsense,x,y\n';

/** Command lines that print keys no example does, with what is piped in. */
const MORE: Readonly<Record<string, [argv: string[], stdin?: string][]>> = {
  'providers show': [[['providers', 'show', 'adfs']], [['providers', 'show', 'github']]],
  import: [[['import', '-', '--account', 'Visa', '--dry-run'], BROKEN]],
  'audit archives list': [[['audit', 'archives', 'list']]],
};

function runWords([argv, stdin = '']: [argv: string[], stdin?: string]): Promise<CliResult> {
  return runCli([...argv, '--json'], { runtime: harness.runtime, env: ready('audit list').env, stdin });
}

async function inTurn<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

// A day for the archive, and somebody who could not sign in.
beforeAll(async () => {
  await harness.query(`insert into audit_events (id, event_type, created_at, actor_kind, metadata)
    values (gen_random_uuid(), 'login', now() - interval '400 days', 'web', '{}'),
      (gen_random_uuid(), 'login_failed', now(), 'web', '{"email": "x@example.com", "reason": "wrong_password"}')`);
  const { env } = ready('audit archive --quiet');
  const { exitCode, stderr } = await runCli(['audit', 'archive'], {
    runtime: harness.runtime,
    env: { ...env, DRY_RUN: '' },
  });
  expect(exitCode, stderr).toBe(0);
});

/** What the example of the command ends with in the prepared database. */
const expectedOf = (command: TreeCommand) => PREPARED[plainExample(command)]?.exitCode ?? 0;

describe('every command', () => {
  test.each(TREE.map((command) => [command.path, command] as const))(
    '%s is described',
    (path, { command, help }) => {
      expect(command.summary(), `${path} needs a summary`).toMatch(/^[a-z].*[^.]$/);
      expect(command.description(), `${path} needs a description in whole sentences`).toMatch(
        /^[A-Z`].*\.$/s,
      );
      expect(help).toContain('--json');
    },
  );

  test.each(COMMANDS.map((command) => [command.path, command] as const))(
    '%s has an example',
    (path, { examples }) => {
      const own = examples.filter((example) => example === path || example.startsWith(`${path} `));

      expect(own, `${path} needs an example: addHelpText('after', examples([…]))`).not.toEqual([]);
      expect(examples, 'examples of other commands belong to their help').toEqual(own);
    },
  );

  test.each(COMMANDS.map((command) => [command.path, command] as const))(
    '%s --json prints one document with the keys its help tells, or nothing',
    async (path, command) => {
      const telling = command.examples.filter((example) => !isEndless(example));
      const results = [
        ...(await inTurn(telling, (example) => runPlain(example, ['--json']))),
        ...(await inTurn(MORE[path] ?? [], (more) => runWords(more))),
      ];

      const documents = results.flatMap(({ stdout, stderr }): unknown[] => {
        if (stdout !== '') return [JSON.parse(stdout)];
        expect(JSON.parse(errorOf(stderr))).toMatchObject({ error: expect.any(String) });
        return [];
      });
      expect(compareWithTable(path, documents), `${path}: cli/json-keys.json`).toEqual([]);
    },
  );
});

test('the table of keys knows every command but those that print no JSON, and no other', () => {
  const known = Object.keys(readJsonKeys());

  expect(new Set([...known, 'export data'])).toEqual(new Set(COMMANDS.map(({ path }) => path)));
});

type Row = Record<string, unknown>;

const isDeep = (value: unknown) => typeof value === 'object' && value !== null;

/** The last line: what was said before is no error. */
const errorOf = (stderr: string) => stderr.trimEnd().split('\n').at(-1) ?? '';

describe('every list', () => {
  test('is known', () => {
    expect(LISTS.length).toBeGreaterThan(15);
  });

  test.each(LISTS.map((command) => [command.path, command] as const))(
    '%s has the same keys in every format',
    async (_, command) => {
      const run = async (format: string) => {
        const { exitCode, stdout, stderr } = await runPlain(plainExample(command), ['--format', format]);
        expect(exitCode, stderr).toBe(expectedOf(command));
        return stdout;
      };
      const json: Row[] = JSON.parse(await run('json'));
      const ndjson: Row[] = (await run('ndjson'))
        .split('\n')
        .flatMap((line) => (line ? JSON.parse(line) : []));
      const yaml: Row[] = parseYaml(await run('yaml'));
      const csv: string[][] = parseCsv(await run('csv'));

      const keys = Object.keys(json[0] ?? {});
      for (const row of [...json, ...ndjson, ...yaml]) expect(Object.keys(row)).toEqual(keys);
      expect([ndjson.length, yaml.length, csv.length - 1]).toEqual([json.length, json.length, json.length]);
      for (const key of keys) expect(key).toMatch(/^[a-z][a-z0-9_]*$/);
      // What is a list or an object in JSON is not in CSV, or in columns of its own.
      const isPlain = (key: string) =>
        json.every((row) => !isDeep(row[key])) && !csv[0]?.some((name) => name.startsWith(`${key}_`));
      expect(csv[0]).toEqual(expect.arrayContaining(keys.filter(isPlain)));
    },
  );

  const PLACES: [string, CliOptions][] = [
    ['a pipe', {}],
    ['NO_COLOR', { terminal: { stdout: true, stderr: true }, env: { NO_COLOR: '1' } }],
    ['TERM=dumb', { terminal: { stdout: true, stderr: true }, env: { TERM: 'dumb' } }],
    ['40 columns', { terminal: { stdout: true, columns: 40 } }],
    ['20 columns', { terminal: { stdout: true, columns: 20 } }],
  ];

  test.each(LISTS.map((command) => [command.path, command] as const))(
    '%s fits wherever it is shown',
    async (_, command) => {
      for (const [place, options] of PLACES) {
        const { exitCode, stdout, stderr } = await runPlain(plainExample(command), [], options);

        expect(exitCode, `${place}: ${stderr}`).toBe(expectedOf(command));
        expect(stdout, place).not.toContain('\u001b');
      }
    },
  );
});
