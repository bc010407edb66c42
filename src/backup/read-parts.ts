import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { damaged, notABackup } from '#src/backup/refusals.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface Part {
  name: string;
  bytes: number;
  /** To be read to its end before the next part. */
  content: AsyncIterable<Buffer>;
}

const NAME =
  /^(?:manifest\.json|checksums\.json|secret_key_base|tables\/[a-z_][a-z0-9_]{0,62}\/\d{5,9}\.copy)$/;

/**
 * The parts of a backup, one after the other. Nothing is ever written under their names, and nothing is kept of them.
 * Whatever is not a plain file with a name of ours is refused. Throws `validation_failed`.
 */
export async function* readParts(file: Readable): AsyncGenerator<Part> {
  const tar = extract();
  let isFirst = true;
  pipeline(file, createGunzip(), tar, () => undefined);
  try {
    for await (const entry of tar) {
      const { name, type, size } = entry.header;
      if (!NAME.test(name) || type !== 'file') throw notABackup(`it holds ${describe(name, type)}`);
      isFirst = false;
      yield { name, bytes: size, content: buffersOf(entry) };
    }
  } catch (error) {
    throw explain(error, isFirst);
  } finally {
    tar.destroy();
    file.destroy();
  }
}

async function* buffersOf(entry: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of entry) {
      if (chunk instanceof Uint8Array) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    }
  } catch (error) {
    throw explain(error, false);
  }
}

function describe(name: string, type: string | null | undefined): string {
  return `"${name.slice(0, 100)}"${type === 'file' ? '' : ` (${type ?? 'unknown'})`}`;
}

/** The errors of zlib have codes that begin with Z_, those of tar-stream none. Others are of reading the file. */
function explain(error: unknown, isFirst: boolean): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = errorCode(error);
  if (code === 'Z_BUF_ERROR' || error.message === 'Unexpected end of data') {
    return damaged('it ends too early', error);
  }
  const isOurs = code === undefined || code.startsWith('Z_');
  if (!isOurs || error.name === 'AbortError') return error;
  return isFirst ? notABackup('it is no tar archive compressed with gzip') : damaged(error.message, error);
}
