import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import type { RunPlan } from '#src/audit/archive/run/plan-run.ts';
import type { RetentionTier } from '#src/kernel/config.ts';

/** What a run has done, or after a dry run what it would do. */
export interface ArchiveReport {
  /** `time_is_up`: there is more to do, and the next run does it. */
  status: 'ok' | 'time_is_up' | 'dry_run';
  tier: RetentionTier;
  /** For people; null where the tier archives nothing. */
  target: string | null;
  /** Those that were made. */
  archives: ArchiveRecord[];
  /** Days and events to be archived, found by a dry run. */
  planned: { day: string; rows: number }[];
  /** Events that left the database. */
  deleted: number;
  removeBefore: Date;
  warnings: string[];
  durationMs: number;
}

export function createReport({ tier, targetName, removeBefore, warnings }: RunPlan): ArchiveReport {
  return {
    status: 'ok',
    tier,
    target: targetName ?? null,
    archives: [],
    planned: [],
    deleted: 0,
    removeBefore,
    warnings,
    durationMs: 0,
  };
}
