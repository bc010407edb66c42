import { describe, expect, test } from 'vitest';
import { runCli } from '#test/support/cli.ts';

const ESCAPE = '\u001b';

describe('where nobody can be asked', () => {
  test.each([
    [['demo', 'clear']],
    [['api-keys', 'revoke', 'some-id']],
    [['import', 'undo', 'some-id']],
    [['accounts', 'update', 'Visa', '--status', 'pending_deletion']],
  ])('%j refuses, names --yes, and never reaches for the database', async (argv) => {
    const { exitCode, stderr } = await runCli(argv);

    expect(exitCode).toBe(4);
    expect(stderr).toContain('--yes is required');
    expect(stderr).not.toContain('this test has no database');
  });

  test.each([
    [{ terminal: { stdin: true, stderr: false } }, []],
    [{ terminal: { stdin: false, stderr: true } }, []],
    [{ terminal: { stdin: true, stderr: true } }, ['--no-input']],
    [{ terminal: { stdin: true, stderr: true }, env: { CI: 'true' } }, []],
    [{ terminal: { stdin: true, stderr: true }, env: { FINANCECTL_NO_INPUT: '1' } }, []],
  ])('%j with %j is such a place', async (options, flags) => {
    const { exitCode } = await runCli(['demo', 'clear', ...flags], options);

    expect(exitCode).toBe(4);
  });

  test('with --json the refusal is JSON', async () => {
    const { exitCode, stdout, stderr } = await runCli(['demo', 'clear', '--json']);

    expect(exitCode).toBe(4);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({
      error: 'confirmation_required',
      hint: expect.stringContaining('--yes'),
    });
  });

  test('--yes goes on to the database', async () => {
    const { stderr } = await runCli(['demo', 'clear', '--yes']);

    expect(stderr).toContain('this test has no database');
  });

  test('--password-stdin with a closed standard input is an error, not a wait', async () => {
    const { exitCode, stderr } = await runCli(['users', 'create', '--email', 'a@b.c', '--password-stdin']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('standard input is empty');
  });
});

describe('colours', () => {
  const onTerminal = { stdout: true, stderr: true };

  test('an error is red on a terminal', async () => {
    const { stderr } = await runCli(['nonsense'], { terminal: onTerminal });

    expect(stderr).toContain(`${ESCAPE}[31merror:${ESCAPE}[39m`);
  });

  test.each([
    ['NO_COLOR', { env: { NO_COLOR: '1' }, terminal: onTerminal }, []],
    ['TERM=dumb', { env: { TERM: 'dumb' }, terminal: onTerminal }, []],
    ['FORCE_COLOR=0', { env: { FORCE_COLOR: '0' }, terminal: onTerminal }, []],
    ['--no-color', { terminal: onTerminal }, ['--no-color']],
    ['a pipe', {}, []],
    ['NO_COLOR before FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, []],
  ])('no escape byte with %s', async (_, options, flags) => {
    const results = await Promise.all([
      runCli(['nonsense', ...flags], options),
      runCli(['--help', ...flags], options),
      runCli(['config', 'show', ...flags], options),
      runCli(['demo', 'clear', ...flags], options),
    ]);

    for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(ESCAPE);
    expect(results[0]?.stderr).toContain('error:');
    expect(results[2]?.stdout).toContain('DATABASE_URL');
  });

  test('FORCE_COLOR colours a pipe', async () => {
    const { stderr } = await runCli(['nonsense'], { env: { FORCE_COLOR: '1' } });

    expect(stderr).toContain(ESCAPE);
  });
});

describe('errors', () => {
  test('what is not expected exits 1, without a stack unless asked', async () => {
    const plain = await runCli(['families', 'list']);
    const debug = await runCli(['families', 'list', '--debug']);

    expect(plain.exitCode).toBe(1);
    expect(plain.stderr).toContain('error: this test has no database');
    expect(plain.stderr).not.toMatch(/^ +at /m);
    expect(debug.stderr).toMatch(/^ +at /m);
  });

  test.each([
    ['SIGHUP', 129, 'hung_up'],
    ['SIGINT', 130, 'interrupted'],
    ['SIGTERM', 143, 'terminated'],
  ])('%s exits %i, whatever it broke', async (reason, exitCode, error) => {
    const result = await runCli(['families', 'list', '--json'], { signal: AbortSignal.abort(reason) });

    expect(result.exitCode).toBe(exitCode);
    expect(JSON.parse(result.stderr)).toMatchObject({
      error,
      message: expect.stringContaining('rolled back'),
    });
  });
});
