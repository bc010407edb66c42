import { ARCHIVED_COLUMNS } from '#src/audit/archive/files/archived-event.ts';
import { archivedEvents } from '#src/audit/archive/files/archived-events.ts';
import { fetchArchive } from '#src/audit/archive/files/fetch-archive.ts';
import type { Spool } from '#src/audit/archive/files/spool.ts';
import {
  type ArchiveRange,
  type ArchiveRecord,
  listArchiveChain,
  listArchives,
} from '#src/audit/archive/list-archives.ts';
import { readLogId } from '#src/audit/archive/run/read-log-id.ts';
import { createRun, RETENTION_LEASE, type Run, type Watch } from '#src/audit/archive/run/run.ts';
import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { listUnrecorded } from '#src/audit/archive/verify/list-unrecorded.ts';
import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';
import type { Job } from '#src/kernel/job.ts';
import { type Lease, withLease } from '#src/kernel/lease.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import type { Work } from '#src/kernel/work.ts';

export interface RestoreOptions extends ArchiveRange {
  /** Also brings back what manifests in the target tell of and the database has no record of. */
  unrecorded?: boolean | undefined;
  watch?: Watch | undefined;
  /** Default: that of the settings. Whoever gives one closes it. */
  target?: ArchiveTarget | undefined;
}

export interface RestoredDay {
  day: string;
  /** In the archive. */
  rows: number;
  /** Those that were missing from the database. */
  restored: number;
  isRecorded: boolean;
}

type Source = Pick<ArchiveRecord, 'day' | 'file' | 'sha256' | 'rows' | 'bytes'> & { isRecorded: boolean };

/**
 * Brings archived events back into the database, those that are missing there, a day in one transaction. They stay in
 * the archive, and leave again with the next run when they are past their time. After a dry run nothing is saved.
 */
export async function restoreArchives(job: Job, options: RestoreOptions = {}): Promise<RestoredDay[]> {
  const target = options.target ?? (await openTarget(job.runtime.config));
  const restore = async (lease: Lease) => {
    const run = createRun(job, lease, target, options.watch);
    const restored: RestoredDay[] = [];
    for (const source of await listSources(run, options)) restored.push(await restoreDay(run, source));
    return restored;
  };
  try {
    return await (job.dryRun ? restore(NO_LEASE) : withLease(job.runtime, RETENTION_LEASE, restore));
  } finally {
    if (!options.target) target.close();
  }
}

/** What is rolled back needs no lease, and must not write one. */
const NO_LEASE: Lease = { prove: () => Promise.resolve(), release: () => Promise.resolve() };

async function listSources(run: Run, { since, until, unrecorded }: RestoreOptions): Promise<Source[]> {
  const sql = sqlOn(run.job.runtime.pool);
  const recorded = (await listArchives(sql, { since, until })).map((archive) => ({
    ...archive,
    isRecorded: true,
  }));
  if (!unrecorded) return recorded;
  const days = new Set((await listArchiveChain(sql)).map(({ day }) => day));
  const log = await readLogId(sql);
  const others: Source[] = [];
  for (const { manifest, path } of await listUnrecorded(sql, run.target, { since, until })) {
    if (!manifest || days.has(manifest.day)) continue;
    // Only a database that starts anew takes over the log of another.
    if (manifest.log !== log && days.size > 0) throw ofAnother(run.target.name, path);
    others.push({ ...manifest, isRecorded: false });
  }
  return [...recorded, ...others].sort((one, other) => one.day.localeCompare(other.day));
}

function ofAnother(target: string, path: string): AppError {
  return new AppError(
    'conflict',
    `${target} has archives of another database (${path}); nothing was brought back`,
    {
      hint: 'Without --from-target only what is on record comes back. Is AUDIT_ARCHIVE_URL the right one?',
    },
  );
}

async function restoreDay(run: Run, source: Source): Promise<RestoredDay> {
  const file = await fetchArchive(run.target, source, run.job.signal);
  try {
    const restored = await run.perform((work) => insertMissing(work, source, file));
    await run.step({ name: 'day_restored', day: source.day, rows: restored });
    return { day: source.day, rows: source.rows, restored, isRecorded: source.isRecorded };
  } finally {
    await file.close();
  }
}

const ALLOW = `select set_config('finance.audit_restore', 'on', true)`;

const INSERT = `with inserted as (
  insert into audit_events (${ARCHIVED_COLUMNS})
  select ${ARCHIVED_COLUMNS} from json_populate_recordset(null::audit_events, $1::json)
  on conflict (id) do nothing returning 1
) select count(*)::integer as rows from inserted`;

async function insertMissing(work: Work, { day, isRecorded }: Source, file: Spool): Promise<number> {
  // A day that is not on record is not closed; one that is takes back only what its archive holds.
  if (isRecorded) await work.sql(ALLOW);
  let restored = 0;
  for await (const events of archivedEvents(file)) {
    const foreign = events.find(({ created_at }) => !created_at.startsWith(day));
    if (foreign) throw invalid([`the archive of ${day} holds an event of ${foreign.created_at}`]);
    const [inserted] = await work.sql<{ rows: number }>(INSERT, [JSON.stringify(events)]);
    restored += inserted?.rows ?? 0;
  }
  if (restored > 0) recordAuditEvent(work, 'audit_restored', { metadata: { day, rows: restored } });
  return restored;
}
