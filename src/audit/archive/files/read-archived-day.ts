import type { ArchivedEvent } from '#src/audit/archive/files/archived-event.ts';
import { archivedEvents } from '#src/audit/archive/files/archived-events.ts';
import { fetchArchive } from '#src/audit/archive/files/fetch-archive.ts';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';

/**
 * The events of an archived day, in order of time and id, in batches. The file is fetched and its SHA-256 compared
 * before the first of them: throws `not_found` when it is missing, `validation_failed` when it is another.
 */
export async function* readArchivedDay(
  target: ArchiveTarget,
  archive: Pick<ArchiveRecord, 'day' | 'file' | 'sha256' | 'bytes'>,
  signal?: AbortSignal,
): AsyncGenerator<ArchivedEvent[]> {
  const file = await fetchArchive(target, archive, signal);
  try {
    yield* archivedEvents(file, signal);
  } finally {
    await file.close();
  }
}
