import type { ArchiveReport } from '#src/audit/archive/run/archive-report.ts';
import { findDays } from '#src/audit/archive/run/find-days.ts';
import type { RunPlan } from '#src/audit/archive/run/plan-run.ts';
import type { Job } from '#src/kernel/job.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';

const COUNTS = `select (created_at at time zone 'UTC')::date::text as day, count(*)::text as rows from audit_events
where created_at < $1::timestamptz and (created_at at time zone 'UTC')::date = any($2::date[])
group by 1 order by 1`;

const REMOVABLE = `select count(*)::text as rows from audit_events
where created_at < $1::timestamptz`;

/** Finds out what a run would do, without a lease and without the target. */
export async function rehearseRun(
  { runtime }: Job,
  plan: RunPlan,
  report: ArchiveReport,
  { keep }: { keep: boolean },
): Promise<void> {
  const db = sqlOn(runtime.pool);
  report.status = 'dry_run';
  if (plan.archives) {
    const days = await findDays(db, plan.archiveBefore);
    const counts = await db.sql<{ day: string; rows: string }>(COUNTS, [
      plan.archiveBefore.toISOString(),
      days,
    ]);
    report.planned = counts.map(({ day, rows }) => ({ day, rows: Number(rows) }));
  }
  if (keep) return;
  const [removable] = await db.sql<{ rows: string }>(REMOVABLE, [plan.removeBefore.toISOString()]);
  report.deleted = Number(removable?.rows);
}
