import { planRetention, type RetentionPlan } from '#src/audit/archive/retention/retention.ts';
import { readRetentionClock } from '#src/audit/archive/retention/retention-clock.ts';
import { readRetentionState, requireTier } from '#src/audit/archive/retention/retention-state.ts';
import { archiveUrl } from '#src/audit/archive/targets/open-target.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import type { Job } from '#src/kernel/job.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';

/** What a run keeps to. */
export interface RunPlan extends RetentionPlan {
  tier: RetentionTier;
  /** For people; undefined where the tier archives nothing. */
  targetName: string | undefined;
  warnings: string[];
}

/** Throws `conflict` for a tier that is shorter than that of the last run, unless `shorten` insists. */
export async function planRun(
  { runtime }: Job,
  { shorten = false, olderThan }: { shorten?: boolean | undefined; olderThan?: number | undefined },
): Promise<RunPlan> {
  const sql = sqlOn(runtime.pool);
  const tier = runtime.config.audit.retention;
  const before = (await readRetentionState(sql)).tier;
  requireTier(before, tier, shorten);
  const { now, warning } = await readRetentionClock(sql, runtime.now());
  const plan = planRetention(tier, now, olderThan);
  return {
    ...plan,
    tier,
    targetName: plan.archives ? archiveUrl(runtime.config) : undefined,
    warnings: warning === undefined ? [] : [warning],
  };
}
