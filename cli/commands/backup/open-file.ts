import { open } from 'node:fs/promises';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { Host } from '#cli/host.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';

/** The bytes of a file, or of standard input for `-`. They end with an error when the command is interrupted. */
export async function openFile({ io, signal }: Host, path: string): Promise<Readable> {
  const source = path === '-' ? readInput(io) : await openForReading(path);
  const stop = () => source.destroy(new Error('interrupted'));
  signal.addEventListener('abort', stop, { once: true });
  return source.once('close', () => signal.removeEventListener('abort', stop));
}

/** Ends at once when it is destroyed, even while whoever writes into the pipe is silent. */
function readInput({ stdin }: Host['io']): Readable {
  return pipeline(stdin, new PassThrough(), () => undefined);
}

async function openForReading(path: string): Promise<Readable> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file.createReadStream();
    await file.close();
  } catch (error) {
    const code = errorCode(error);
    throw code === 'ENOENT'
      ? notFound(path)
      : new AppError('validation_failed', `${path} cannot be read (${code})`);
  }
  throw new AppError('validation_failed', `${path} is not an ordinary file`, {
    hint: 'A pipe can be read as standard input: -.',
  });
}
