import { listArchives } from '#src/audit/archive/list-archives.ts';
import { listPrunable } from '#src/audit/archive/prune-archives.ts';
import { planRetention } from '#src/audit/archive/retention/retention.ts';
import { readRetentionClock } from '#src/audit/archive/retention/retention-clock.ts';
import { readRetentionState } from '#src/audit/archive/retention/retention-state.ts';
import { findDays } from '#src/audit/archive/run/find-days.ts';
import { archiveUrl } from '#src/audit/archive/targets/open-target.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** How the audit log stands to its timeline. */
export interface RetentionSummary {
  tier: RetentionTier;
  /** What the last run kept to; undefined before the first. */
  lastTier: RetentionTier | undefined;
  lastSuccessAt: Date | undefined;
  /** For people; null where there is none. */
  target: string | null;
  oldestEventAt: Date | undefined;
  /** In the database, by age. */
  events: { upTo90Days: number; upTo1Year: number; older: number };
  archives: { days: number; rows: number; bytes: number; from: string | undefined; to: string | undefined };
  /** What is due now: days to archive, events to remove, archives to prune. */
  due: { archive: number; remove: number; prune: number };
}

const EVENTS = `select
  count(*) filter (where created_at >= $1::timestamptz)::text as up_to_90_days,
  count(*) filter (where created_at < $1::timestamptz and created_at >= $2::timestamptz)::text as up_to_1_year,
  count(*) filter (where created_at < $2::timestamptz)::text as older,
  min(created_at)::text as oldest
from audit_events`;

export async function summarizeRetention(runtime: Runtime): Promise<RetentionSummary> {
  const { pool, config } = runtime;
  const sql = sqlOn(pool);
  const tier = config.audit.retention;
  const { now } = await readRetentionClock(sql, runtime.now());
  const { tier: lastTier, lastSuccessAt } = await readRetentionState(sql);
  const plan = planRetention(tier, now);
  const bands = [planRetention('standard', now).removeBefore, planRetention('compliance', now).removeBefore];
  const [found] = await sql.sql<
    Record<'up_to_90_days' | 'up_to_1_year' | 'older', string> & { oldest: string | null }
  >(
    EVENTS,
    bands.map((moment) => moment.toISOString()),
  );
  const archives = await listArchives(sql);
  const events = {
    upTo90Days: Number(found?.up_to_90_days),
    upTo1Year: Number(found?.up_to_1_year),
    older: Number(found?.older),
  };
  return {
    tier,
    lastTier,
    lastSuccessAt,
    target: archiveUrl(config) ?? null,
    oldestEventAt: found?.oldest ? new Date(found.oldest) : undefined,
    events,
    archives: {
      days: archives.length,
      rows: sum(archives.map(({ rows }) => rows)),
      bytes: sum(archives.map(({ bytes }) => bytes)),
      from: archives.at(0)?.day,
      to: archives.at(-1)?.day,
    },
    due: {
      archive: plan.archives ? (await findDays(sql, plan.archiveBefore)).length : 0,
      remove: events.older + (tier === 'standard' ? events.upTo1Year : 0),
      prune: (await listPrunable(runtime)).length,
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
