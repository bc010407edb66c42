import { randomUUID } from 'node:crypto';
import { constants, createWriteStream, type Stats, type WriteStream } from 'node:fs';
import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { Refused } from '#cli/errors.ts';
import { errorCode } from '#src/kernel/error-code.ts';

/** The file of --output while a command runs. */
export interface ResultFile {
  /** False when the disk is behind: `drain` tells when it has caught up. */
  write(chunk: string | Uint8Array): boolean;
  once(event: 'drain' | 'error', listener: (error?: Error) => void): unknown;
  off(event: 'drain' | 'error', listener: (error?: Error) => void): unknown;
  readonly isTTY: false;
  /** The file is there, and complete, from then on. */
  keep(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

/**
 * Readable by its owner only, never through a symbolic link, never in place of another file unless `force`.
 * It is written under another name beside it, so that nobody ever sees a part of it; and begun before the command
 * runs, so that a result that exists only once is not lost to a path that cannot be written.
 */
export async function createResultFile(path: string, { force }: { force: boolean }): Promise<ResultFile> {
  const present = await lookUp(path);
  if (present?.isSymbolicLink())
    throw new Refused(`${path} is a symbolic link; nothing is written through it`);
  if (present && !present.isFile()) throw new Refused(`${path} is not an ordinary file`);
  if (present && !force) throw existsAlready(path);

  const draft = `${path}.${randomUUID()}.tmp`;
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const handle = await open(draft, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  const stream = createWriteStream(draft, { fd: handle, flush: true });
  // Whoever writes or keeps the file is told, and of which file: a descriptor has no path.
  stream.on('error', (error) => Object.assign(error, { path }));
  return {
    isTTY: false,
    write: (chunk) => stream.write(chunk),
    once: (event, listener) => stream.once(event, listener),
    off: (event, listener) => stream.off(event, listener),
    keep: async () => {
      await complete(stream);
      if (force) return rename(draft, path);
      await giveName(draft, path);
    },
    discard: async () => {
      stream.destroy();
      // What was just being written fails now, before the end comes: once() would tell that instead.
      if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', () => resolve()));
      await unlink(draft);
    },
  };
}

async function complete(stream: WriteStream): Promise<void> {
  stream.end();
  await finished(stream);
}

/** Where there are no hard links a file that came meanwhile cannot be noticed; there the name is simply taken. */
async function giveName(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw existsAlready(path, `The result is in ${draft}.`);
    return rename(draft, path);
  }
  await unlink(draft);
}

function existsAlready(path: string, hint = '--force replaces it.'): Refused {
  return new Refused(`${path} exists already`, hint);
}

async function lookUp(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
