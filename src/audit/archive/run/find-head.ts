import { atMost } from '#src/audit/archive/files/at-most.ts';
import { LONGEST_MANIFEST } from '#src/audit/archive/files/manifest.ts';
import { readSha256 } from '#src/audit/archive/files/read-sha256.ts';
import type { ChainHead } from '#src/audit/archive/run/archive-day.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

interface Head extends ChainHead {
  /** The last that the target must have: days of long ago may come late and be pruned early. */
  kept: { manifest: string; sha256: string } | undefined;
}

const HEAD = `select a.day::text, a.position, a.manifest_sha256, k.manifest as kept, k.manifest_sha256 as kept_sha256
from audit_archives a left join lateral (
  select manifest, manifest_sha256 from audit_archives
  where pruned_at is null and not day = any($1::date[]) order by position desc limit 1
) k on true
order by a.position desc limit 1`;

/** The last archive on record; undefined before the first. `except`: days of which the target need not have anything. */
export async function findHead(
  db: Sql,
  { except = [] }: { except?: readonly string[] } = {},
): Promise<Head | undefined> {
  const [row] = await db.sql<{
    day: string;
    position: number;
    manifest_sha256: string;
    kept: string | null;
    kept_sha256: string | null;
  }>(HEAD, [except]);
  if (!row) return undefined;
  const { day, position, manifest_sha256, kept, kept_sha256 } = row;
  return {
    day,
    position,
    manifestSha256: manifest_sha256,
    kept: kept !== null && kept_sha256 !== null ? { manifest: kept, sha256: kept_sha256 } : undefined,
  };
}

/**
 * Whoever has the last manifest is the target that the archives before went to. Another folder under its name (a disk
 * that is not mounted, a new bucket) would take what follows, and nobody would find the two together again.
 */
export async function requireHead(target: ArchiveTarget, head: Head | undefined): Promise<Head | undefined> {
  if (!head?.kept) return head;
  const { manifest, sha256 } = head.kept;
  try {
    if ((await readSha256(atMost(await target.open(manifest), LONGEST_MANIFEST))) === sha256) return head;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  throw new AppError('conflict', `${target.name} does not have the last archive (${manifest})`, {
    hint: 'Is it mounted, and the one that was used before? Copy the old archives to a new place first.',
  });
}
