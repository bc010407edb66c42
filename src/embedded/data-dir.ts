import { constants } from 'node:fs';
import { access, chown, mkdir, realpath, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/** The folder given by the operator, and the names of what we keep in it. */
export interface DataDir {
  path: string;
  owner: Owner;
  pgData: string;
  lockFile: string;
  settingsFile: string;
  logFile: string;
}

export async function openDataDir(given: string): Promise<DataDir> {
  try {
    // Root's cluster runs as another user, who must be able to pass through (not read) a folder we make.
    await makeFolders(resolve(given), isRoot() ? 0o711 : 0o700);
    const path = await realpath(given);
    const { uid, gid } = await stat(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return {
      path,
      owner: { uid, gid },
      pgData: join(path, 'postgres'),
      lockFile: join(path, 'postgres.lock'),
      settingsFile: join(path, 'postgres.json'),
      logFile: join(path, 'postgres.log'),
    };
  } catch (cause) {
    throw unusable(given, cause);
  }
}

/** Not mkdir's `recursive`: that never ends where the kernel answers ENOENT although the parent exists, as in /proc. */
async function makeFolders(path: string, mode: number): Promise<void> {
  try {
    await makeFolder(path, mode);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makeFolders(dirname(path), mode);
    await makeFolder(path, mode);
  }
}

async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** What root writes into another user's folder must stay usable by that user. */
export async function giveToOwner(path: string, { uid, gid }: Owner): Promise<void> {
  if (isRoot() && uid !== 0) await chown(path, uid, gid);
}

function unusable(given: string, cause: unknown): AppError {
  const code = errorCode(cause);
  const reason =
    code === 'EEXIST' || code === 'ENOTDIR'
      ? 'it, or a part of its path, is a file'
      : code === 'EROFS'
        ? 'it is on a read-only file system'
        : `${whoAmI()} may not read and write it (${code ?? String(cause)})`;
  return new AppError(
    'configuration_invalid',
    `The data folder ${resolve(given)} cannot be used: ${reason}`,
    {
      hint: 'Set DATA_DIR to a folder this user owns, correct its owner, or set DATABASE_URL to use another PostgreSQL.',
      cause,
    },
  );
}

function whoAmI(): string {
  try {
    return `user ${userInfo().username}`;
  } catch {
    // A container may run under a number that /etc/passwd does not know.
    return `user ${process.getuid?.()}`;
  }
}
