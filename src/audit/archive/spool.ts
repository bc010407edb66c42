import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

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
  const file = await open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await unlink(name);
    for await (const chunk of source) {
      signal?.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
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
