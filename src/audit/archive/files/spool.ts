import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

/** A file without a name: nothing is left of it when the process is gone, whatever ended it. */
export interface Spool {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The content from its beginning, as often as it is asked for. */
  readonly read: () => Readable;
  close(): Promise<void>;
}

/** Everything that comes from `source`, on the local disk, where only this process can read it. */
export async function spoolFrom(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<Spool> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
  const name = join(tmpdir(), `finance-${randomUUID()}`);
  const file = await open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, 0o600).catch(noRoom);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await unlink(name);
    for await (const chunk of source) {
      signal?.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk).catch(noRoom);
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    bytes,
    sha256: hash.digest('hex'),
    read: () => file.createReadStream({ start: 0, autoClose: false, highWaterMark: 65_536 }),
    close: () => file.close(),
  };
}

function noRoom(error: unknown): never {
  throw new AppError(
    'service_unavailable',
    `temporary files cannot be written in ${tmpdir()} (${errorCode(error) ?? 'unknown'})`,
    {
      hint: 'Make room for one day of the audit log, compressed, or let TMPDIR name another folder; then run it again.',
      cause: error,
    },
  );
}
