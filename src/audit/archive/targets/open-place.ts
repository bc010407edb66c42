import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { asNotFound } from '#src/audit/archive/targets/folder-places.ts';
import { folderTrouble } from '#src/audit/archive/targets/folder-trouble.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** The content of an ordinary file. Throws `not_found`, or `conflict` for whatever else has its name. */
export async function openPlace(place: string): Promise<Readable> {
  // Without O_NONBLOCK a pipe that somebody has put there would keep us for ever.
  const handle = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    // A symbolic link, or a socket.
    if (['ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) throw notOrdinary(place);
    return asNotFound(place)(error);
  });
  if ((await handle.stat()).isFile()) {
    const content = handle.createReadStream({ highWaterMark: 65_536 });
    const told = Readable.from(withTrouble(place, content), { objectMode: false, highWaterMark: 65_536 });
    // A reader who ends before the first byte has not begun to read the file.
    return told.once('close', () => content.destroy());
  }
  await handle.close();
  throw notOrdinary(place);
}

function notOrdinary(place: string): AppError {
  return new AppError('conflict', `not an ordinary file: ${place}`);
}

/** A disk may fail in the middle. */
async function* withTrouble(place: string, content: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw folderTrouble(place, error);
  }
}
