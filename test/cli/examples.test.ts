import type { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { run } from '#cli/program.ts';
import { databaseState } from '#test/cli/database-state.ts';
import { PREPARED, useExamples } from '#test/cli/example-lines.ts';
import { bufferedOutside, type CliOptions, type CliResult, runCli } from '#test/support/cli.ts';
import { allExamples, commandTree } from '#test/support/command-tree.ts';

const EXAMPLES = await allExamples();
const PATHS = (await commandTree()).filter(({ runs }) => runs).map(({ path }) => path);
const { harness, ready } = useExamples();

/**
 * Commands that change nothing, and so have nothing to rehearse; a backup is written all the same, and there is no archive
 * here for `audit prune`.
 */
const READING: ReadonlySet<string> = new Set([
  'families list',
  'users list',
  'users show',
  'users invitations',
  'users blocked',
  'providers list',
  'providers show',
  'providers test',
  'providers preview',
  'providers urls',
  'providers export',
  'keys generate',
  'keys check',
  'accounts list',
  'api-keys list',
  'import list',
  'transactions list',
  'transactions show',
  'transfers list',
  'audit list',
  'audit failures',
  'audit prune',
  'audit retention',
  'audit archives list',
  'db status',
  'backup',
  'backup verify',
  'config show',
  'config check',
  'completion bash',
  'completion zsh',
  'completion fish',
  'doctor',
  'help environment',
  'help exit-codes',
  'help formats',
  'help roles',
]);

const REHEARSED = 'DRY RUN: nothing was saved';

/** The commands that said that nothing was saved. */
const writing = new Set<string>();

const commandOf = (example: string) =>
  PATHS.filter((path) => `${example} `.startsWith(`${path} `)).toSorted((a, b) => b.length - a.length)[0] ??
  '';

/** Runs it as it is, on a terminal where it asks. */
function runReady(example: string, env: Record<string, string>, flags: string[] = []): Promise<CliResult> {
  const { argv, stdin, awaits, answer } = ready(example);
  const options = { runtime: harness.runtime, env, stdin };
  const given = [...argv, ...flags];
  return awaits === undefined ? runCli(given, options) : converse(given, options, awaits, answer);
}

/** Without what is new each time: ids, secrets, times, and the numbers of files. */
function masked({ exitCode, stdout, stderr }: CliResult) {
  const text = (stdout + stderr)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'ID')
    .replace(/\d{4}-\d{2}-\d{2}[T ][\d:.]+(Z| UTC)?/g, 'TIME')
    .replace(/\/\d+-(\S+)/g, '/N-$1')
    .replace(/[\w+/=-]{24,}|([0-9A-F]{2}:){10,}[0-9A-F]{2}/g, 'SECRET')
    .replace(/\d+ ms|"duration_ms": \d+/g, 'DURATION');
  return { exitCode, text };
}

describe('an example', () => {
  test.each(EXAMPLES)('financectl %s', async (example) => {
    const { env, exitCode: expected, why } = ready(example);
    const before = await databaseState(harness);

    const { exitCode, stdout, stderr } = await runReady(example, env);

    const advice = `${stderr}Correct the example, or say in test/cli/example-lines.ts what it needs.`;
    expect(exitCode, `${why ? `${why}; ` : ''}${advice}`).toBe(expected);
    expect(exitCode, advice).not.toBe(2);
    if (!stderr.includes(REHEARSED)) return expect(await databaseState(harness)).toEqual(before);
    writing.add(commandOf(example));
    const flagged = await runReady(example, { ...env, DRY_RUN: '' }, ['--dry-run']);
    expect(masked(flagged), 'DRY_RUN=true and --dry-run say the same').toEqual(
      masked({ exitCode, stdout, stderr }),
    );
    expect(await databaseState(harness), 'nothing may be saved').toEqual(before);
  });

  test('of every command that writes has been rehearsed', () => {
    expect(PATHS.filter((path) => !writing.has(path) && !READING.has(path))).toEqual([]);
    expect(PATHS.filter((path) => writing.has(path) && READING.has(path))).toEqual([]);
  });

  test('that is prepared is one that there is', () => {
    expect(Object.keys(PREPARED).filter((example) => !EXAMPLES.includes(example))).toEqual([]);
  });
});

describe('with a standard input that is closed', () => {
  // All others have been run like that above.
  const asking = EXAMPLES.filter((example) => example.includes('<') || PREPARED[example]?.awaits);

  test.each(asking)('financectl %s ends', async (example) => {
    const { argv, env, awaits } = ready(example);

    const isEndless = argv.includes('--follow');
    const signal = isEndless ? AbortSignal.abort('SIGINT') : undefined;
    const { exitCode, stderr } = await runCli(argv, {
      runtime: harness.runtime,
      env,
      ...(signal && { signal }),
    });

    expect(isEndless ? [130] : [2, 4], `${awaits} ${stderr}`).toContain(exitCode);
    expect(stderr).toMatch(/^error: /m);
  });
});

describe('a question', () => {
  // No archive is old enough to be removed.
  const answered = EXAMPLES.filter(
    (example) => / --yes\b| --confirm /.test(example) && !/ prune /.test(example),
  );

  test.each(answered)('names the flag that answers it: financectl %s', async (example) => {
    const { argv, env } = ready(example);
    const asking = argv.filter(
      (word, index) => !['--yes', '--confirm'].includes(word) && argv[index - 1] !== '--confirm',
    );
    const options = { runtime: harness.runtime, env: { ...env, DRY_RUN: '' } };

    const { exitCode, stderr } = await converse(asking, options, '(--', undefined);

    expect(exitCode, stderr).toBe(130);
    expect(stderr).toContain(argv.includes('--yes') ? '(--yes)' : '(--confirm ');
  });
});

/** Somebody at a terminal, who types the answer or presses Ctrl-C when asked. */
async function converse(
  argv: string[],
  options: CliOptions,
  awaits: string,
  answer: string | undefined,
): Promise<CliResult> {
  const stop = new AbortController();
  const terminal = { stdin: true, stderr: true };
  const { outside, stdout, stderr } = bufferedOutside({ ...options, terminal, signal: stop.signal });
  const ended = run(argv, outside);
  await vi.waitFor(() => expect(stderr.text()).toContain(awaits), { timeout: 5_000 });
  if (answer === undefined) stop.abort('SIGINT');
  else (outside.stdin as unknown as PassThrough).write(`${answer}\r`);
  return { exitCode: await ended, stdout: stdout.text(), stderr: stderr.text() };
}
