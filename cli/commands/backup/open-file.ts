import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Host } from '#cli/host.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';

/** The bytes of a file, or of standard input for `-`. They end with an error when the command is interrupted. */
export async function openFile({ io, signal }: Host, path: string): Promise<Readable> {
  const source = path === '-' ? Readable.from(io.stdin) : await openForReading(path);
  const stop = () => source.destroy(new Error('interrupted'));
  signal.addEventListener('abort', stop, { once: true });
  return source.once('close', () => signal.removeEventListener('abort', stop));
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
