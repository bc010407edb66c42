import { chmod, chown, mkdir, mkdtemp, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBinaries } from '#src/embedded/binaries.ts';
import { findClosedPath } from '#src/embedded/find-closed-path.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'finance-programs-'));
  await chmod(folder, 0o755);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('findBinaries', () => {
  it('finds the installed ones', async () => {
    const { initdb, postgres, major } = await findBinaries();

    expect((await stat(initdb)).mode & 0o100).toBe(0o100);
    expect((await stat(postgres)).mode & 0o100).toBe(0o100);
    expect(major).toBe('18');
  });

  it('finishes what an installation without scripts left undone', async () => {
    await givenPackage();

    const { postgres } = await findBinaries(folder);
    await findBinaries(folder);

    expect((await stat(postgres)).mode & 0o111).toBe(0o111);
    expect(await readlink(join(folder, 'native/lib/libpq.so.5'))).toBe('libpq.so.5.18');
  });

  it('names the folder and the remedy when a program is missing', async () => {
    await givenPackage();
    await rm(join(folder, 'native/bin/postgres'));

    await expect(findBinaries(folder)).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining(join(folder, 'native')),
      hint: expect.stringContaining('npm ci'),
    });
  });
});

describe('findClosedPath', () => {
  const me = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const other = { uid: me.uid + 1, gid: me.gid + 1 };

  it.each([
    [0o700, me, false],
    [0o700, other, true],
    [0o711, other, false],
    [0o750, { ...other, gid: me.gid }, false],
    [0o705, { ...other, gid: me.gid }, true],
    [0o077, me, true],
  ])('a folder of mode %o is, for %o, closed: %s', async (mode, account, closed) => {
    const inner = join(folder, 'inner');
    await mkdir(inner);
    await chown(inner, me.uid, me.gid);
    await chmod(inner, mode);

    expect(await findClosedPath([inner], account)).toBe(closed ? inner : undefined);
  });

  it('looks at every folder on the way', async () => {
    const closed = join(folder, 'closed');
    await mkdir(join(closed, 'open'), { recursive: true });
    await chmod(closed, 0o700);

    expect(await findClosedPath([folder, join(closed, 'open')], other)).toBe(closed);
  });
});

async function givenPackage(): Promise<void> {
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  await mkdir(join(folder, 'native/bin'), { recursive: true });
  await mkdir(join(folder, 'native/lib'));
  await writeFile(join(folder, 'package.json'), '{"version":"18.4.0-beta.17"}');
  await writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links));
  for (const name of ['initdb', 'postgres'])
    await writeFile(join(folder, 'native/bin', name), '', { mode: 0o644 });
}
