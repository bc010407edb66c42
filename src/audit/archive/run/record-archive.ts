import { archivePath, type Manifest, manifestText, sha256Of } from '#src/audit/archive/files/manifest.ts';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import type { Run } from '#src/audit/archive/run/run.ts';

const COUNT = `select count(*)::text as rows from audit_events
where created_at >= ($1::date)::timestamp at time zone 'UTC'
  and created_at < ($1::date + 1)::timestamp at time zone 'UTC'`;

const RECORD = `insert into audit_archives (day, position, tier, rows, first_id, last_id, file, bytes, sha256,
  manifest, manifest_sha256, previous_sha256, archived_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now()) returning archived_at::text`;

/**
 * Puts a day that has been stored and read back on record; from then on nothing is added to it. Undefined when an event
 * of that day has come since it was written: events are never changed, so their number tells.
 */
export async function recordArchive(
  run: Run,
  manifest: Manifest,
  tier: ArchiveRecord['tier'],
): Promise<ArchiveRecord | undefined> {
  const manifestSha256 = sha256Of(manifestText(manifest));
  const { previous, log: _log, ...facts } = manifest;
  const record = {
    ...facts,
    tier,
    manifest: archivePath(manifest.day, manifestSha256, 'manifest.json'),
    manifestSha256,
    previousSha256: previous?.sha256 ?? null,
  };
  return run.perform(async (work) => {
    const [counted] = await work.sql<{ rows: string }>(COUNT, [record.day]);
    if (Number(counted?.rows) !== record.rows) return undefined;
    const [saved] = await work.sql<{ archived_at: string }>(RECORD, [
      record.day,
      record.position,
      record.tier,
      record.rows,
      record.firstId,
      record.lastId,
      record.file,
      record.bytes,
      record.sha256,
      record.manifest,
      record.manifestSha256,
      record.previousSha256,
    ]);
    return { ...record, archivedAt: new Date(saved?.archived_at ?? Number.NaN), prunedAt: null };
  });
}
