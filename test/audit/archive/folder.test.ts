import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textFile } from '#src/audit/archive/files/manifest.ts';
import { createFolderTarget } from '#src/audit/archive/targets/create-folder-target.ts';

let parent = '';
let folder = '';
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'folder-target-'));
  folder = join(parent, 'archive');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const aFile = (path: string, content = 'x') => textFile(path, content, undefined);

describe('a folder', () => {
  test('is made when it is needed, and only readable to us', async () => {
    const target = createFolderTarget(folder);
    const found = [];
    for await (const file of target.list('')) found.push(file);
    expect(found).toEqual([]);
    await expect(target.open('2026/08/a')).rejects.toMatchObject({ code: 'not_found' });
    await target.remove('2026/08/a');
    expect(await readdir(parent)).toEqual([]);

    await target.put(aFile('2026/08/a'));
    await target.put(aFile('2025/12/b', 'yy'));
    for await (const file of target.list('')) found.push(file);
    expect(found).toEqual([
      { path: '2025/12/b', bytes: 2 },
      { path: '2026/08/a', bytes: 1 },
    ]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await target.probe();
    expect(await readdir(join(folder, '.tmp'))).toEqual([]);
  });

  test('keeps what has a name already', async () => {
    const target = createFolderTarget(folder);
    await target.put(aFile('2026/08/a', 'one'));
    await target.put(aFile('2026/08/a', 'one'));

    await expect(target.put(aFile('2026/08/a', 'two'))).rejects.toMatchObject({ code: 'conflict' });
    expect(await text(await target.open('2026/08/a'))).toBe('one');
    expect(await readdir(join(folder, '.tmp'))).toEqual([]);
  });

  test('is never left, by a path or by a link', async () => {
    const outside = join(parent, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret'), 'secret');
    const target = createFolderTarget(folder);
    await target.put(aFile('2026/08/a'));
    await symlink(outside, join(folder, '2027'));
    await symlink(join(outside, 'secret'), join(folder, '2026/08/link'));

    for (const path of [
      '../outside/secret',
      '/etc/passwd',
      '2026/../../outside/secret',
      '.tmp/x',
      '2026//a',
      '',
    ]) {
      await expect(target.open(path)).rejects.toMatchObject({ code: 'validation_failed' });
    }
    await expect(target.put(aFile('2027/new'))).rejects.toMatchObject({ code: 'conflict' });
    await expect(target.open('2027/secret')).rejects.toMatchObject({ code: 'conflict' });
    await expect(target.open('2026/08/link')).rejects.toMatchObject({ code: 'conflict' });
    await expect(target.put(aFile('2026/08/link', 'secret!'))).rejects.toMatchObject({ code: 'conflict' });
    await rm(join(folder, '.tmp'), { recursive: true });
    await symlink(outside, join(folder, '.tmp'));
    await expect(target.put(aFile('2026/08/b'))).rejects.toMatchObject({ code: 'conflict' });
    expect(await readdir(outside)).toEqual(['secret']);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  test('loses what runs that were killed have left', async () => {
    const target = createFolderTarget(folder);
    await target.put(aFile('2026/08/a'));
    await writeFile(join(folder, '.tmp/left-over'), 'half');
    await target.tidy();

    expect(await readdir(join(folder, '.tmp'))).toEqual([]);
  });

  test('that cannot be one says so', async () => {
    await writeFile(folder, 'a file');
    await expect(createFolderTarget(folder).put(aFile('2026/08/a'))).rejects.toMatchObject({
      code: 'configuration_invalid',
    });
    await expect(createFolderTarget('/proc/nothing').probe()).rejects.toMatchObject({
      message: expect.stringContaining('/proc/nothing'),
    });
  });
});
