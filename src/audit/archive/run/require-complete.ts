import { archivedEvents } from '#src/audit/archive/files/archived-events.ts';
import { fetchArchive } from '#src/audit/archive/files/fetch-archive.ts';
import type { Manifest } from '#src/audit/archive/files/manifest.ts';
import type { DayFile } from '#src/audit/archive/files/write-day.ts';
import type { Run } from '#src/audit/archive/run/run.ts';
import { listUnrecorded } from '#src/audit/archive/verify/list-unrecorded.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type Sql, sqlOn } from '#src/kernel/sql-on.ts';

/**
 * A check of a day that is about to be archived. A database that was restored from a backup may have forgotten an
 * archive, and events that are in it: recorded without them, the day would be closed to them. Throws `conflict` then,
 * and at once where the target has archives of another database.
 */
export async function requireComplete(
  run: Run,
  log: string,
): Promise<(day: string, file: Pick<DayFile, 'rows' | 'sha256'>) => Promise<void>> {
  const sql = sqlOn(run.job.runtime.pool);
  const forgotten: Manifest[] = [];
  for (const { manifest, path } of await listUnrecorded(sql, run.target)) {
    if (manifest && manifest.log !== log) throw ofAnother(run.target.name, path);
    if (manifest) forgotten.push(manifest);
  }
  return async (day, { rows, sha256 }) => {
    for (const manifest of forgotten) {
      if (manifest.day !== day || manifest.sha256 === sha256) continue;
      if (manifest.rows > rows || (await hasOthers(run, sql, manifest))) {
        throw incomplete(run.target.name, manifest, rows);
      }
    }
  };
}

const PRESENT = 'select count(*)::integer as present from audit_events where id = any($1::uuid[])';

/** Whether it has events that the database has not. One that is gone or changed has none to bring back. */
async function hasOthers({ target, job }: Run, sql: Sql, manifest: Manifest): Promise<boolean> {
  const file = await fetchArchive(target, manifest, job.signal).catch((error: unknown) => {
    if (error instanceof AppError && ['not_found', 'validation_failed'].includes(error.code))
      return undefined;
    throw error;
  });
  try {
    for await (const events of file ? archivedEvents(file, job.signal) : []) {
      const [found] = await sql.sql<{ present: number }>(PRESENT, [events.map(({ id }) => id)]);
      if (found?.present !== events.length) return true;
    }
    return false;
  } finally {
    await file?.close();
  }
}

function incomplete(target: string, { day, rows: others }: Manifest, rows: number): AppError {
  return new AppError(
    'conflict',
    `${target} has an archive of ${day} with ${others} events, which is not on record; the database has ${rows}, and not all of those`,
    {
      hint: `Was the database restored from a backup? 'financectl audit archives restore --from-target --since ${day}' brings them back.`,
    },
  );
}

function ofAnother(target: string, path: string): AppError {
  return new AppError('conflict', `${target} has archives of another database (${path})`, {
    hint: 'Each database needs a folder or prefix of its own: correct AUDIT_ARCHIVE_URL. Nothing was archived or removed.',
  });
}
