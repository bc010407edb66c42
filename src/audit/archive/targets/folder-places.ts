import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';

const { O_DIRECTORY, O_RDONLY } = constants;

const ALLOWED = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** The file's own place below the root; its folders are made where asked for. */
export async function placeOf(root: string, path: string, { make = false } = {}): Promise<string> {
  if (!ALLOWED.test(path)) throw new AppError('validation_failed', `not a path of an archive: ${path}`);
  const names = path.split('/');
  let folder = root;
  for (const name of names.slice(0, -1)) folder = await folderIn(folder, name, make);
  return join(folder, names.at(-1) ?? '');
}

/** A folder below one of ours, which is no symbolic link; made where asked for. */
export async function folderIn(parent: string, name: string, make: boolean): Promise<string> {
  const folder = join(parent, name);
  if (make && (await makeFolder(folder))) await flushFolder(parent);
  const present = await lstat(folder).catch(asNotFound(folder));
  if (present.isDirectory()) return folder;
  throw new AppError('conflict', `not a folder of ours, nothing is read or written through it: ${folder}`);
}

async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Makes the folder where it is missing; then as `rootOf`. */
export async function madeRoot(folder: string): Promise<string> {
  await makeFolders(folder);
  return rootOf(folder);
}
/** Node's own way of doing this never comes back from a file system that takes no folders (/proc). */
async function makeFolders(folder: string): Promise<void> {
  try {
    if (await makeFolder(folder)) await flushFolder(dirname(folder));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolders(dirname(folder));
    if (await makeFolder(folder)) await flushFolder(dirname(folder));
  }
}

/** What the folder is called without symbolic links: the administrator may have put some in front of it. */
export async function rootOf(folder: string): Promise<string> {
  return realpath(folder).catch(asNotFound(folder));
}

/** For a `catch`: a place that is not there is `not_found`. */
export function asNotFound(place: string) {
  return (error: unknown): never => {
    throw errorCode(error) === 'ENOENT' ? notFound(place) : error;
  };
}

/** A name is on the disk when its folder is. Some file systems cannot do that for folders; they need not. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, O_RDONLY | O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
