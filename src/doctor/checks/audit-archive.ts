import { openTarget } from '#src/audit/archive/open-target.ts';
import { isShorter, planRetention } from '#src/audit/archive/retention.ts';
import { readRetentionState } from '#src/audit/archive/retention-state.ts';
import { type Finding, ok, type Subject, warn } from '#src/doctor/check.ts';
import type { Config } from '#src/kernel/config.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';

const DAY_MS = 86_400_000;
/** A daily run that was missed once is no trouble yet. */
const LATE_DAYS = 2;
const IS_DUE = 'select exists (select from audit_events where created_at < $1::timestamptz) as due';
const CRON_HINT = "Run 'financectl audit archive --quiet' daily, by cron or a systemd timer.";

/** Whether the archive takes files, and whether the daily run that fills it is run. */
export async function auditArchive(subject: Subject): Promise<Finding> {
  const config = subject.config();
  const tier = config.audit.retention;
  const where = await tryTarget(config, subject.isOffline);
  const sql = sqlOn((await subject.runtime()).pool);
  const { tier: before, lastSuccessAt } = await readRetentionState(sql);
  if (before !== undefined && isShorter(tier, before)) {
    return warn(
      `the last run kept to ${before}, AUDIT_RETENTION says ${tier}`,
      'The next run refuses that without --shorten.',
    );
  }
  const { archiveBefore } = planRetention(tier, subject.now());
  const isOld = new Date(archiveBefore.getTime() - LATE_DAYS * DAY_MS).toISOString();
  const [log] = await sql.sql<{ due: boolean }>(IS_DUE, [isOld]);
  const last = lastSuccessAt ? `last run ${lastSuccessAt.toISOString()}` : 'not run yet';
  const isLate =
    lastSuccessAt === undefined || subject.now().getTime() - lastSuccessAt.getTime() >= LATE_DAYS * DAY_MS;
  const detail = `${tier}${where}; ${last}`;
  return log?.due && isLate ? warn(`${detail}, and there is something to do`, CRON_HINT) : ok(detail);
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
