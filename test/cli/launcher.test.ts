import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FINANCECTL = join(ROOT, 'bin/financectl');

describe('bin/financectl', () => {
  let folder = '';
  let fakes = '';
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'financectl test-')));
    fakes = join(folder, 'path');
    mkdirSync(fakes);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Starts it with a fake `node` of this version first in PATH. */
  function start(command: string, args: string[], { version = 'v20.20.2', cwd = folder, env = {} } = {}) {
    const fake = join(fakes, 'node');
    writeFileSync(
      fake,
      `#!/bin/sh\n[ "$1" = --version ] && { echo ${version}; exit 0; }\necho "fake node $*"; exit 9\n`,
    );
    chmodSync(fake, 0o755);
    const result = spawnSync(command, args, {
      cwd,
      encoding: 'utf8',
      env: { PATH: `${fakes}:/usr/bin:/bin`, ...env },
      timeout: 20_000,
    });
    return { exitCode: result.status, stdout: result.stdout, stderr: result.stderr };
  }

  /** A checkout without node_modules. */
  function bareCheckout(): string {
    const checkout = join(folder, 'check out');
    mkdirSync(join(checkout, 'bin'), { recursive: true });
    for (const file of ['financectl', 'finance-server', 'launch.sh']) {
      copyFileSync(join(ROOT, 'bin', file), join(checkout, 'bin', file));
    }
    return checkout;
  }

  test('runs with Node 20 first in PATH, from another folder, and prints no warning', () => {
    const result = start(FINANCECTL, ['--version']);

    expect(result).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
  });

  test.each([
    ['absolute', () => FINANCECTL],
    ['relative', () => relative(folder, FINANCECTL)],
  ])('runs through an %s symbolic link', (_, target) => {
    symlinkSync(target(), join(folder, 'one'));
    symlinkSync('one', join(folder, 'two'));

    expect(start(join(folder, 'two'), ['--version'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(start('./two', ['--version'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('runs by name from a folder in PATH', () => {
    symlinkSync(FINANCECTL, join(fakes, 'financectl'));

    expect(start('/bin/sh', ['-c', 'financectl --version'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('hands on arguments as they are, and the exit code', () => {
    const { exitCode, stderr } = start(FINANCECTL, ['a b  "c"', '*']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`unknown command 'a b  "c"'`);
  });

  test('does without a compile cache where it cannot be written', () => {
    const result = start(FINANCECTL, ['--version'], { env: { NODE_COMPILE_CACHE: '/dev/null/cache' } });

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('a checkout without Node uses the one in PATH from version 24 on', () => {
    const checkout = bareCheckout();
    const { exitCode, stdout } = start(join(checkout, 'bin/financectl'), ['x y'], { version: 'v25.1.0' });

    expect(exitCode).toBe(9);
    expect(stdout).toBe(`fake node --max-semi-space-size=8 ${checkout}/bin/../cli/main.ts x y\n`);
  });

  test.each([
    ['financectl', 'v20.20.2'],
    ['financectl', 'v9.0.0'],
    ['finance-server', 'v23.11.0'],
    ['financectl', 'nonsense'],
  ])('%s says what to do when there is only Node %s', (name, version) => {
    const checkout = bareCheckout();
    const { exitCode, stdout, stderr } = start(join(checkout, 'bin', name), [], { version });

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`${name} needs Node.js 24 or later; in PATH: ${version}`);
    expect(stderr).toContain(`run 'npm ci' in ${checkout}`);
  });

  test('ends quietly when its reader has gone', () => {
    const script = `${FINANCECTL.replaceAll(' ', '\\ ')} help environment 2>err | head -n 1; cat err`;
    const { stdout } = start('/bin/sh', ['-c', script]);

    expect(stdout).toBe('Settings of server and financectl:\n');
  });

  test('says in one line that its output cannot be written', () => {
    const script = `${FINANCECTL.replaceAll(' ', '\\ ')} help environment > /dev/full`;

    expect(start('/bin/sh', ['-c', script])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'error: stdout cannot be written (ENOSPC)\n  hint: The disk is full: make room, or write elsewhere.\n',
    });
  });

  test('tidies up after a Ctrl-C that npm passes on once more', async () => {
    const child = spawn(FINANCECTL, ['import', '-', '--account', 'Checking'], {
      env: { PATH: '/usr/bin:/bin', TMPDIR: folder },
    });
    const kept = () => readdirSync(folder).filter((name) => name.startsWith('financectl-'));
    await vi.waitFor(() => expect(kept()).toHaveLength(1), 10_000);
    const ended = once(child, 'close');

    child.kill('SIGINT');
    child.kill('SIGTERM');

    expect([130, 143]).toContain((await ended)[0]);
    expect(kept()).toEqual([]);
  });
});
