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

export type ArchivingTier = Exclude<RetentionTier, 'standard'>;

const STANDARD_DAYS = 90;
const DAY_MS = 86_400_000;
/** How long an archive is kept that was made under a tier, in years. */
const ARCHIVE_YEARS = { extended: 1, compliance: 7 } as const satisfies Record<ArchivingTier, number>;
const DATABASE_YEARS = 1;

/** From the tiers in order, the longer the later. */
export const RETENTION_TIERS = ['standard', 'extended', 'compliance'] as const satisfies RetentionTier[];

/** `olderThan`: days to wait before anything is done with an event, where that is longer. */
export function planRetention(tier: RetentionTier, now: Date, olderThan = STANDARD_DAYS): RetentionPlan {
  const waited = daysBefore(now, Math.max(olderThan, STANDARD_DAYS));
  const kept = tier === 'standard' ? waited : earlier(yearsBefore(now, DATABASE_YEARS), waited);
  return { archives: tier !== 'standard', archiveBefore: waited, removeBefore: kept };
}

/** Archives of this tier are past their time when their whole day lies before this moment. */
export function pruneBefore(tier: ArchivingTier, now: Date): Date {
  return yearsBefore(now, ARCHIVE_YEARS[tier]);
}

/** Until when a store that can do so is to refuse the removal of a day's archive; undefined: it is not locked. */
export function lockUntil(tier: ArchivingTier, day: string): Date | undefined {
  if (tier !== 'compliance') return undefined;
  const end = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS);
  end.setUTCFullYear(end.getUTCFullYear() + ARCHIVE_YEARS[tier]);
  return end;
}

/** Whether the whole day lies before this moment. */
export function hasEndedBy(day: string, moment: Date): boolean {
  return Date.parse(`${day}T00:00:00Z`) + DAY_MS <= moment.getTime();
}

export function isShorter(tier: RetentionTier, than: RetentionTier): boolean {
  return RETENTION_TIERS.indexOf(tier) < RETENTION_TIERS.indexOf(than);
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/** The same moment of an earlier year; for the 29th of February the 28th. */
function yearsBefore(now: Date, years: number): Date {
  const then = new Date(now);
  then.setUTCFullYear(now.getUTCFullYear() - years);
  if (then.getUTCMonth() !== now.getUTCMonth()) then.setUTCDate(0);
  return then;
}
