import type { RetentionTier } from '#src/kernel/config.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

/** A UTC day of the audit log that has been archived, read back and verified. */
export interface ArchiveRecord {
  /** `YYYY-MM-DD`. */
  day: string;
  /** In the chain, from 1. */
  position: number;
  /** In force when it was made. */
  tier: Exclude<RetentionTier, 'standard'>;
  rows: number;
  firstId: string;
  lastId: string;
  /** Below the target's root. */
  file: string;
  bytes: number;
  sha256: string;
  /** Below the target's root. */
  manifest: string;
  manifestSha256: string;
  /** Of the manifest one place before; null for the first. */
  previousSha256: string | null;
  archivedAt: Date;
  prunedAt: Date | null;
}

/** Which days are meant: those that have a moment in this stretch of time. */
export interface ArchiveRange {
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

const SELECT = `select day::text, position, tier, rows::text, first_id, last_id, file, bytes::text, sha256, manifest,
  manifest_sha256, previous_sha256, archived_at::text, pruned_at::text
from audit_archives
where ($1::timestamptz is null or day >= ($1::timestamptz at time zone 'UTC')::date)
  and ($2::timestamptz is null or day < ($2::timestamptz at time zone 'UTC'))`;

const KEPT = `${SELECT} and pruned_at is null order by day`;
const CHAIN = `${SELECT} order by position`;

/** Oldest day first; without those that have been pruned. */
export async function listArchives(db: Sql, range: ArchiveRange = {}): Promise<ArchiveRecord[]> {
  return (await db.sql<ArchiveRow>(KEPT, bounds(range))).map(toRecord);
}

/** In order of the chain, with those that have been pruned. */
export async function listArchiveChain(db: Sql, range: ArchiveRange = {}): Promise<ArchiveRecord[]> {
  return (await db.sql<ArchiveRow>(CHAIN, bounds(range))).map(toRecord);
}

function bounds({ since, until }: ArchiveRange): (string | null)[] {
  return [since?.toISOString() ?? null, until?.toISOString() ?? null];
}

interface ArchiveRow {
  day: string;
  position: number;
  tier: ArchiveRecord['tier'];
  rows: string;
  first_id: string;
  last_id: string;
  file: string;
  bytes: string;
  sha256: string;
  manifest: string;
  manifest_sha256: string;
  previous_sha256: string | null;
  archived_at: string;
  pruned_at: string | null;
}

function toRecord(row: ArchiveRow): ArchiveRecord {
  return {
    day: row.day,
    position: row.position,
    tier: row.tier,
    rows: Number(row.rows),
    firstId: row.first_id,
    lastId: row.last_id,
    file: row.file,
    bytes: Number(row.bytes),
    sha256: row.sha256,
    manifest: row.manifest,
    manifestSha256: row.manifest_sha256,
    previousSha256: row.previous_sha256,
    archivedAt: new Date(row.archived_at),
    prunedAt: row.pruned_at === null ? null : new Date(row.pruned_at),
  };
}
