import { checksumPath } from '#src/audit/archive/files/manifest.ts';
import { type ArchiveRecord, listArchives } from '#src/audit/archive/list-archives.ts';
import { readPrunable } from '#src/audit/archive/retention/read-prunable.ts';
import { findHead, requireHead } from '#src/audit/archive/run/find-head.ts';
import { createRun, RETENTION_LEASE, type Run, type Watch } from '#src/audit/archive/run/run.ts';
import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Job } from '#src/kernel/job.ts';
import { withLease } from '#src/kernel/lease.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface PruneOptions {
  watch?: Watch | undefined;
  /** Default: that of the settings. Whoever gives one closes it. */
  target?: ArchiveTarget | undefined;
}

const PRESENT = `select a.day::text from audit_archives a
where a.day = any($1::date[]) and exists (
  select from audit_events e where e.created_at >= a.day::timestamp at time zone 'UTC'
    and e.created_at < (a.day + 1)::timestamp at time zone 'UTC'
)`;

/**
 * The archives that are past their time, oldest first: that of the tier they were made under, or of the present one
 * where that is longer. Days of which the database still has events are left alone.
 */
export async function listPrunable(runtime: Runtime): Promise<ArchiveRecord[]> {
  const sql = sqlOn(runtime.pool);
  const due = (await listArchives(sql)).filter(await readPrunable(sql, runtime));
  const rows = await sql.sql<{ day: string }>(PRESENT, [due.map(({ day }) => day)]);
  const still = new Set(rows.map(({ day }) => day));
  return due.filter(({ day }) => !still.has(day));
}

/**
 * Removes the archives that are past their time. The files go first and are then marked together: killed in between,
 * the next run finds them marked as not pruned yet and finishes.
 */
export async function pruneArchives(job: Job, options: PruneOptions = {}): Promise<ArchiveRecord[]> {
  if (job.dryRun) return listPrunable(job.runtime);
  return withLease(job.runtime, RETENTION_LEASE, async (lease) => {
    const due = await listPrunable(job.runtime);
    if (due.length === 0) return due;
    const target = options.target ?? (await openTarget(job.runtime.config));
    try {
      const others = due.map(({ day }) => day);
      await requireHead(target, await findHead(sqlOn(job.runtime.pool), { except: others }));
      await removeFiles(createRun(job, lease, target, options.watch), due);
    } finally {
      if (!options.target) target.close();
    }
    return due;
  });
}

const MARK = 'update audit_archives set pruned_at = now() where day = any($1::date[]) and pruned_at is null';

async function removeFiles(run: Run, due: readonly ArchiveRecord[]): Promise<void> {
  for (const { day, file, manifest } of due) {
    await run.lease.prove(sqlOn(run.job.runtime.pool));
    await run.target.remove(file);
    await run.target.remove(checksumPath(file));
    await run.target.remove(manifest);
    await run.step({ name: 'archive_removed', day });
  }
  await run.perform(async (work) => {
    await work.sql(MARK, [due.map(({ day }) => day)]);
    const rows = due.reduce((sum, archive) => sum + archive.rows, 0);
    const days = due.map(({ day }) => day).sort();
    recordAuditEvent(work, 'audit_pruned', {
      metadata: { days: due.length, rows, from: days.at(0), to: days.at(-1) },
    });
  });
}
