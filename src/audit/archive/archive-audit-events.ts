import {
  checkArchive,
  listArchivedStretches,
  removeWindow,
  type Stretch,
  wholeStretch,
} from '#src/audit/archive/retention/remove-events.ts';
import { keepToTier } from '#src/audit/archive/retention/retention-state.ts';
import { archiveDay, type ChainHead } from '#src/audit/archive/run/archive-day.ts';
import { type ArchiveReport, createReport } from '#src/audit/archive/run/archive-report.ts';
import { findDays } from '#src/audit/archive/run/find-days.ts';
import { findHead, requireHead } from '#src/audit/archive/run/find-head.ts';
import { planRun, type RunPlan } from '#src/audit/archive/run/plan-run.ts';
import { readLogId } from '#src/audit/archive/run/read-log-id.ts';
import { rehearseRun } from '#src/audit/archive/run/rehearse-run.ts';
import { reportRun } from '#src/audit/archive/run/report-run.ts';
import { requireComplete } from '#src/audit/archive/run/require-complete.ts';
import { createRun, RETENTION_LEASE, type Run, type Watch } from '#src/audit/archive/run/run.ts';
import { writtenDays } from '#src/audit/archive/run/written-days.ts';
import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import type { Job } from '#src/kernel/job.ts';
import { withLease } from '#src/kernel/lease.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';

export interface ArchiveOptions {
  /** Events that leave the database in one transaction; default 20,000. */
  batchSize?: number | undefined;
  /** Milliseconds after which nothing new is begun. */
  maxRuntime?: number | undefined;
  /** Insists on a tier that ends sooner than that of the last run. */
  shorten?: boolean | undefined;
  /** Days; waits longer than the tier does. */
  olderThan?: number | undefined;
  /** Archives and removes nothing. */
  keep?: boolean | undefined;
  watch?: Watch | undefined;
  /** Default: that of the settings. Whoever gives one closes it. */
  target?: ArchiveTarget | undefined;
}

const BATCH = 20_000;

/**
 * Keeps the audit log to its timeline (decisions, section 4): archives the days that are old enough, and removes from
 * the database what is past its time there and, where the tier archives, in an archive that has been read back. It may
 * be killed at any moment and run again; only one process at a time does it.
 */
export async function archiveAuditEvents(job: Job, options: ArchiveOptions = {}): Promise<ArchiveReport> {
  const begun = performance.now();
  const plan = await planRun(job, options);
  const report = createReport(plan);
  if (job.dryRun) await rehearseRun(job, plan, report, { keep: options.keep ?? false });
  else await runPlan(job, plan, report, options);
  return { ...report, durationMs: Math.round(performance.now() - begun) };
}

async function runPlan(
  job: Job,
  plan: RunPlan,
  report: ArchiveReport,
  options: ArchiveOptions,
): Promise<void> {
  const deadline = performance.now() + (options.maxRuntime ?? Number.POSITIVE_INFINITY);
  const isLate = () => performance.now() >= deadline;
  const target = options.target ?? (plan.archives ? await openTarget(job.runtime.config) : NO_TARGET);
  try {
    await withLease(job.runtime, RETENTION_LEASE, async (lease) => {
      const run = createRun(job, lease, target, options.watch);
      await run.perform((work) => keepToTier(work, plan.tier, options));
      if (plan.archives) await archiveDays(run, plan, report, isLate);
      if (!options.keep) await removeEvents(run, plan, report, { size: options.batchSize ?? BATCH, isLate });
      await run.perform((work) => reportRun(work, plan.tier, { complete: report.status === 'ok' }));
    });
  } finally {
    if (!options.target) target.close();
  }
}

async function archiveDays(
  run: Run,
  plan: RunPlan,
  report: ArchiveReport,
  isLate: () => boolean,
): Promise<void> {
  if (plan.tier === 'standard') return;
  const sql = sqlOn(run.job.runtime.pool);
  await run.target.tidy();
  let head: ChainHead | undefined = await requireHead(run.target, await findHead(sql));
  const days = await findDays(sql, plan.archiveBefore);
  if (isLate() && days.length > 0) report.status = 'time_is_up';
  if (isLate()) return;
  if (days.length === 0) return;
  const log = await readLogId(sql);
  const check = await requireComplete(run, log);
  for await (const written of writtenDays(run.job.runtime, days, run.job.signal)) {
    await check(written.day, written.file);
    const archive = await archiveDay(run, written, { log, tier: plan.tier, head });
    report.archives.push(archive);
    head = archive;
    if (isLate() && written.day !== days.at(-1)) {
      report.status = 'time_is_up';
      return;
    }
  }
}

async function removeEvents(
  run: Run,
  plan: RunPlan,
  report: ArchiveReport,
  { size, isLate }: { size: number; isLate: () => boolean },
): Promise<void> {
  const stretches = plan.archives
    ? await listArchivedStretches(sqlOn(run.job.runtime.pool), plan.removeBefore)
    : [wholeStretch(plan.removeBefore)];
  for (const stretch of stretches) {
    if (!isLate()) await checkArchive(run, stretch);
    await run.step({ name: 'archive_checked', day: stretch.archive?.day });
    if (!(await removeStretch(run, stretch, report, { size, isLate }))) {
      report.status = 'time_is_up';
      return;
    }
  }
}

/** Answers whether all of it has gone. */
async function removeStretch(
  run: Run,
  stretch: Stretch,
  report: ArchiveReport,
  { size, isLate }: { size: number; isLate: () => boolean },
): Promise<boolean> {
  let { from } = stretch;
  while (!isLate()) {
    const window = await removeWindow(run, { ...stretch, from }, size);
    if (!window) return true;
    from = window.from;
    report.deleted += window.removed;
    await run.step({ name: 'events_removed', day: stretch.archive?.day, rows: window.removed });
  }
  return false;
}

/** Where the tier archives nothing, nothing is asked of an archive. */
const NO_TARGET: ArchiveTarget = {
  name: 'none',
  put: () => Promise.reject(new Error('there is no archive')),
  open: () => Promise.reject(new Error('there is no archive')),
  list: async function* () {},
  remove: () => Promise.reject(new Error('there is no archive')),
  probe: () => Promise.reject(new Error('there is no archive')),
  tidy: () => Promise.resolve(),
  close: () => undefined,
};
