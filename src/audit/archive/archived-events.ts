import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ArchivedEvent } from '#src/audit/archive/archived-event.ts';
import { linesOf } from '#src/audit/archive/lines-of.ts';
import type { Spool } from '#src/audit/archive/spool.ts';

/** The events of a fetched archive, in batches. */
export async function* archivedEvents(
  file: Pick<Spool, 'read'>,
  signal?: AbortSignal,
): AsyncGenerator<ArchivedEvent[]> {
  const text = pipeline(file.read(), createGunzip({ chunkSize: 65_536 }), () => undefined);
  for await (const lines of linesOf(text)) {
    signal?.throwIfAborted();
    yield lines.map(parseEvent);
  }
}

/** What the line is made of has been written by us: the file's SHA-256 says so. */
function parseEvent(line: string): ArchivedEvent {
  return JSON.parse(line);
}
