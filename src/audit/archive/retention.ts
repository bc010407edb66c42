import type { RetentionTier } from '#src/kernel/config.ts';

/** Where the audit log is at an age, and where it ends (decisions, section 4). All moments are UTC. */
export interface RetentionPlan {
  /** Whether days go to the archive at all. */
  archives: boolean;
  /** Days that have ended at this moment or before are to be archived. */
  archiveBefore: Date;
  /** Events before this moment leave the database, once they are archived if the tier archives. */
  removeBefore: Date;
}

const STANDARD_DAYS = 90;
const DAY_MS = 86_400_000;
/** How long an archive is kept that was made under a tier, in years. */
const ARCHIVE_YEARS = { extended: 1, compliance: 7 } as const;
const DATABASE_YEARS = 1;

/** From the tiers in order, the longer the later. */
export const RETENTION_TIERS = ['standard', 'extended', 'compliance'] as const satisfies RetentionTier[];

export function planRetention(tier: RetentionTier, now: Date): RetentionPlan {
  const ninetyDays = new Date(now.getTime() - STANDARD_DAYS * DAY_MS);
  return {
    archives: tier !== 'standard',
    archiveBefore: ninetyDays,
    removeBefore: tier === 'standard' ? ninetyDays : yearsBefore(now, DATABASE_YEARS),
  };
}

/** Archives of this tier are past their time when their whole day lies before this moment. */
export function pruneBefore(tier: keyof typeof ARCHIVE_YEARS, now: Date): Date {
  return yearsBefore(now, ARCHIVE_YEARS[tier]);
}

export function isShorter(tier: RetentionTier, than: RetentionTier): boolean {
  return RETENTION_TIERS.indexOf(tier) < RETENTION_TIERS.indexOf(than);
}

/** The same moment of an earlier year; for the 29th of February the 28th. */
function yearsBefore(now: Date, years: number): Date {
  const then = new Date(now);
  then.setUTCFullYear(now.getUTCFullYear() - years);
  if (then.getUTCMonth() !== now.getUTCMonth()) then.setUTCDate(0);
  return then;
}
