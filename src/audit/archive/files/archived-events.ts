import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ArchivedEvent } from '#src/audit/archive/files/archived-event.ts';
import { linesOf } from '#src/audit/archive/files/lines-of.ts';
import type { Spool } from '#src/audit/archive/files/spool.ts';
import { AppError } from '#src/kernel/errors.ts';

/** The events of a fetched archive, in batches. */
export async function* archivedEvents(
  file: Pick<Spool, 'read'>,
  signal?: AbortSignal,
): AsyncGenerator<ArchivedEvent[]> {
  const text = pipeline(file.read(), createGunzip({ chunkSize: 65_536 }), () => undefined);
  const batches = linesOf(text);
  for (let next = await read(batches); !next.done; next = await read(batches)) {
    signal?.throwIfAborted();
    yield next.value;
  }
}

/** What lines are made of has been written by us: the file's SHA-256 says so, where its record does. */
async function read(batches: AsyncGenerator<string[]>): Promise<IteratorResult<ArchivedEvent[]>> {
  try {
    const { done, value } = await batches.next();
    return done ? { done, value } : { value: value.map(parseEvent) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new AppError('validation_failed', `an archive is no compressed lines of events (${reason})`, {
      cause: error,
    });
  }
}

function parseEvent(line: string): ArchivedEvent {
  const event = JSON.parse(line);
  if (typeof event?.id === 'string' && typeof event.created_at === 'string') return event;
  throw new Error('a line is no event');
}
