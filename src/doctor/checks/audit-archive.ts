import { listPrunable } from '#src/audit/archive/prune-archives.ts';
import { isShorter, planRetention } from '#src/audit/archive/retention/retention.ts';
import { readRetentionState } from '#src/audit/archive/retention/retention-state.ts';
import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import { type Finding, ok, type Subject, warn } from '#src/doctor/check.ts';
import type { Config, RetentionTier } from '#src/kernel/config.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';

const DAY_MS = 86_400_000;
/** A daily run that was missed once is no trouble yet. */
const LATE_DAYS = 2;
const IS_DUE = 'select exists (select from audit_events where created_at < $1::timestamptz) as due';
const CRON_HINT = "Run 'financectl audit archive --quiet' daily, by cron or a systemd timer.";
const PRUNE_HINT = "Run 'financectl audit prune --yes --quiet' after each 'audit archive'.";

/** Whether the archive takes files, and whether the daily runs that fill it and end it are run. */
export async function auditArchive(subject: Subject): Promise<Finding> {
  const config = subject.config();
  const tier = config.audit.retention;
  const where = await tryTarget(config, subject.isOffline);
  const runtime = await subject.runtime();
  const { tier: before, lastSuccessAt } = await readRetentionState(sqlOn(runtime.pool));
  if (before !== undefined && isShorter(tier, before)) {
    return warn(
      `the last run kept to ${before}, AUDIT_RETENTION says ${tier}`,
      'The next run refuses that without --shorten.',
    );
  }
  const last = lastSuccessAt ? `last run ${lastSuccessAt.toISOString()}` : 'not run yet';
  const detail = `${tier}${where}; ${last}`;
  const isLate =
    lastSuccessAt === undefined || subject.now().getTime() - lastSuccessAt.getTime() >= LATE_DAYS * DAY_MS;
  if (isLate && (await isDue(subject, tier))) {
    return warn(`${detail}, and there is something to do`, CRON_HINT);
  }
  const ended = await countEnded({ ...runtime, config }, subject.now());
  return ended > 0 ? warn(`${detail}; archives past their time: ${ended}`, PRUNE_HINT) : ok(detail);
}

/** Whether events are older than a daily run would let them become. */
async function isDue(subject: Subject, tier: RetentionTier): Promise<boolean> {
  const { archiveBefore } = planRetention(tier, subject.now());
  const isOld = new Date(archiveBefore.getTime() - LATE_DAYS * DAY_MS).toISOString();
  const [log] = await sqlOn((await subject.runtime()).pool).sql<{ due: boolean }>(IS_DUE, [isOld]);
  return log?.due === true;
}

/** How many archives ended so long ago that a daily run would have removed them. */
async function countEnded(runtime: Runtime, now: Date): Promise<number> {
  const then = new Date(now.getTime() - LATE_DAYS * DAY_MS);
  return (await listPrunable({ ...runtime, now: () => then })).length;
}

/** Stores, reads and removes a small file. Throws what keeps the target from that. */
async function tryTarget(config: Config, isOffline: boolean): Promise<string> {
  if (config.audit.retention === 'standard') return '';
  const target = await openTarget(config);
  try {
    if (!isOffline) await target.probe();
    return ` to ${target.name}${isOffline ? ' (not asked)' : ''}`;
  } finally {
    target.close();
  }
}
