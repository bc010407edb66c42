import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, readdir, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { sha256Of } from '#src/audit/archive/files/manifest.ts';
import { readSha256 } from '#src/audit/archive/files/read-sha256.ts';
import {
  asNotFound,
  flushFolder,
  folderIn,
  madeRoot,
  placeOf,
  rootOf,
} from '#src/audit/archive/targets/folder-places.ts';
import { folderTrouble } from '#src/audit/archive/targets/folder-trouble.ts';
import { openPlace } from '#src/audit/archive/targets/open-place.ts';
import type { ArchiveTarget, StoredFile } from '#src/audit/archive/targets/target.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Files that are not complete yet; nothing else is ever in there. */
const DRAFTS = '.tmp';
/** Nor is what file systems have at their top, where only root may look. */
const NOT_LISTED = new Set([DRAFTS, 'lost+found']);
const PROBE = 'probe';

/**
 * A folder on this machine, or one that is mounted. Files are 0600 and folders 0700; each file appears under its name
 * when it is complete and on the disk. Below the folder no symbolic link is followed. It is made when it is first
 * needed.
 */
export function createFolderTarget(folder: string): ArchiveTarget {
  const guarded = async <Result>(
    find: (folder: string) => Promise<string>,
    work: (root: string) => Promise<Result>,
  ) => {
    try {
      return await work(await find(folder));
    } catch (error) {
      throw folderTrouble(folder, error);
    }
  };
  return {
    name: folder,
    put: (file) => guarded(madeRoot, (root) => store(root, file)),
    open: (path) => guarded(rootOf, (root) => openFile(root, path)),
    list: async function* (prefix) {
      yield* await guarded(rootOf, (root) => listFiles(root, prefix)).catch(nothingIfNotFound);
    },
    remove: (path) =>
      guarded(rootOf, (root) => removeFile(root, path))
        .catch(nothingIfNotFound)
        .then(() => undefined),
    probe: () => guarded(madeRoot, probe),
    tidy: () => guarded(madeRoot, removeDrafts),
    close: () => undefined,
  };
}

function nothingIfNotFound(error: unknown): [] {
  if (error instanceof AppError && error.code === 'not_found') return [];
  throw error;
}

async function store(root: string, file: StoredFile): Promise<void> {
  const place = await placeOf(root, file.path, { make: true });
  const draft = join(await folderIn(root, DRAFTS, true), randomUUID());
  try {
    await writeDraft(draft, file);
    await takeName(draft, place, file);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  await flushFolder(dirname(place));
}

async function writeDraft(draft: string, file: StoredFile): Promise<void> {
  const handle = await open(draft, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    for await (const chunk of file.read()) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Names hold a hash of the content, so what has the name already is the same file, or somebody has been at it. */
async function takeName(draft: string, place: string, file: StoredFile): Promise<void> {
  try {
    await link(draft, place);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const present = await readSha256(await openPlace(place));
    if (present === file.sha256) return;
    throw new AppError('conflict', `the archive folder has another file of this name: ${place}`, {
      hint: 'Move it away and look at who has written it; nothing is overwritten.',
    });
  }
}

async function openFile(root: string, path: string): Promise<Readable> {
  return openPlace(await placeOf(root, path));
}

async function listFiles(root: string, prefix: string): Promise<{ path: string; bytes: number }[]> {
  const top = await readdir(root, { withFileTypes: true });
  const folders = top.filter((entry) => entry.isDirectory() && !NOT_LISTED.has(entry.name));
  const below = await Promise.all(
    folders.map(({ name }) => readdir(join(root, name), { recursive: true, withFileTypes: true })),
  );
  const paths = [...top, ...below.flat()]
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => path.startsWith(prefix))
    .sort();
  const sizes = await Promise.all(paths.map((path) => lstat(join(root, path)).catch(() => undefined)));
  return paths.flatMap((path, index) => {
    const bytes = sizes[index]?.size;
    return bytes === undefined ? [] : [{ path, bytes }];
  });
}

async function removeFile(root: string, path: string): Promise<void> {
  const place = await placeOf(root, path);
  await unlink(place).catch(asNotFound(place));
  await flushFolder(dirname(place));
}

async function removeDrafts(root: string): Promise<void> {
  const drafts = await folderIn(root, DRAFTS, true);
  for (const name of await readdir(drafts)) await unlink(join(drafts, name));
}

async function probe(root: string): Promise<void> {
  const draft = join(await folderIn(root, DRAFTS, true), randomUUID());
  const handle = await open(draft, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    await handle.writeFile(PROBE);
    await handle.sync();
    const found = await readSha256(await openPlace(draft));
    if (found !== sha256Of(PROBE)) throw new Error('what was read back is not what was stored');
  } finally {
    await handle.close();
    await unlink(draft);
  }
}
