import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, rename, unlink } from 'node:fs/promises';
import { Refused } from '#cli/errors.ts';

/** The file of --output while a command runs. */
export interface ResultFile {
  write(text: string): boolean;
  readonly isTTY: false;
  /** Writes what was collected; the file is complete from then on. */
  keep(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

/**
 * Readable by its owner only, never through a symbolic link, never in place of another file unless `force`.
 * Made before the command runs, so that a result that exists only once is not lost to a path that cannot be written.
 */
export async function createResultFile(path: string, { force }: { force: boolean }): Promise<ResultFile> {
  const present = await lookUp(path);
  if (present?.isSymbolicLink())
    throw new Refused(`${path} is a symbolic link; nothing is written through it`);
  if (present && !present.isFile()) throw new Refused(`${path} is not an ordinary file`);
  if (present && !force) throw new Refused(`${path} exists already`, '--force replaces it.');

  // A file to be replaced stays as it is until the new one is complete.
  const target = present ? `${path}.${randomUUID()}.tmp` : path;
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const handle = await open(target, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  const parts: string[] = [];
  return {
    isTTY: false,
    write: (text) => parts.push(text) > 0,
    keep: async () => {
      await handle.writeFile(parts.join(''));
      await handle.close();
      if (target !== path) await rename(target, path);
    },
    discard: async () => {
      await handle.close();
      await unlink(target);
    },
  };
}

async function lookUp(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
