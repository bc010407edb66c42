import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createResultFile } from '#cli/result-file.ts';
import { runCli } from '#test/support/cli.ts';

const check = (...flags: string[]) => runCli(['config', 'check', '--json', ...flags]);

describe('--output', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'financectl-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('writes the result to a new file that only its owner can read', async () => {
    const file = join(folder, 'out.json');
    const { exitCode, stdout } = await check('-o', file);

    expect(exitCode).toBe(0);
    expect(stdout).toBe('');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ valid: true });
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
  });

  test('- is stdout', async () => {
    const { stdout } = await check('-o', '-');

    expect(JSON.parse(stdout)).toMatchObject({ valid: true });
  });

  test('replaces a file only with --force', async () => {
    const file = join(folder, 'out.json');
    writeFileSync(file, 'precious', { mode: 0o644 });

    const refused = await check('-o', file);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('--force');
    expect(readFileSync(file, 'utf8')).toBe('precious');

    const forced = await check('-o', file, '--force');
    expect(forced.exitCode).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ valid: true });
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['out.json']);
  });

  test.each([[[]], [['--force']]])('never writes through a symbolic link %j', async (flags) => {
    const target = join(folder, 'target');
    const link = join(folder, 'link');
    symlinkSync(target, link);

    const { exitCode, stderr } = await check('-o', link, ...flags);

    expect(exitCode).toBe(4);
    expect(stderr).toContain('symbolic link');
    expect(existsSync(target)).toBe(false);
  });

  test('leaves nothing behind, and an older file as it was, when the command fails', async () => {
    const [fresh, old] = [join(folder, 'fresh'), join(folder, 'old')];
    writeFileSync(old, 'precious');

    await runCli(['families', 'list', '-o', fresh]);
    await runCli(['families', 'list', '-o', old, '--force']);

    expect(readdirSync(folder)).toEqual(['old']);
    expect(readFileSync(old, 'utf8')).toBe('precious');
  });

  test('leaves nothing behind when it is given up in the middle of writing', async () => {
    const file = await createResultFile(join(folder, 'large'), { force: false });
    for (let piece = 0; piece < 50; piece += 1) file.write(Buffer.alloc(1_000_000));
    // The first of them is on its way to the disk now.
    await new Promise(setImmediate);
    await file.discard();

    expect(readdirSync(folder)).toEqual([]);
  });

  test('a folder that is not there is told before anything is done', async () => {
    const { exitCode, stderr } = await runCli([
      'families',
      'create',
      'X',
      '--currency',
      'EUR',
      '-o',
      join(folder, 'no/such'),
    ]);

    expect(exitCode).toBe(3);
    expect(stderr).toContain('No such file or folder');
    expect(stderr).not.toContain('database');
  });
});
