import type { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { run } from '#cli/program.ts';
import { PREPARED, useExamples } from '#test/cli/example-lines.ts';
import { bufferedOutside, type CliOptions, type CliResult, runCli } from '#test/support/cli.ts';
import { allExamples } from '#test/support/command-tree.ts';

const EXAMPLES = await allExamples();
const { harness, ready } = useExamples();

describe('an example', () => {
  test.each(EXAMPLES)('financectl %s', async (example) => {
    const { argv, env, stdin, exitCode: expected, why, awaits, answer } = ready(example);

    const options = { runtime: harness.runtime, env, stdin };
    const { exitCode, stderr } =
      awaits === undefined ? await runCli(argv, options) : await converse(argv, options, awaits, answer);

    const advice = `${stderr}Correct the example, or say in test/cli/example-lines.ts what it needs.`;
    expect(exitCode, `${why ? `${why}; ` : ''}${advice}`).toBe(expected);
    expect(exitCode, advice).not.toBe(2);
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
