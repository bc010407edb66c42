import type { ChainHead } from '#src/audit/archive/archive-day.ts';
import { readSha256 } from '#src/audit/archive/read-sha256.ts';
import type { ArchiveTarget } from '#src/audit/archive/target.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

interface Head extends ChainHead {
  manifest: string;
  isPruned: boolean;
}

const HEAD = `select day::text, position, manifest, manifest_sha256, pruned_at is not null as pruned
from audit_archives order by position desc limit 1`;

/** The last archive on record; undefined before the first. */
export async function findHead(db: Sql): Promise<Head | undefined> {
  const [row] = await db.sql<{
    day: string;
    position: number;
    manifest: string;
    manifest_sha256: string;
    pruned: boolean;
  }>(HEAD);
  if (!row) return undefined;
  const { day, position, manifest, manifest_sha256, pruned } = row;
  return { day, position, manifest, manifestSha256: manifest_sha256, isPruned: pruned };
}

/**
 * Whoever has the last manifest is the target that the archives before went to. Another folder under its name (a disk
 * that is not mounted, a new bucket) would take what follows, and nobody would find the two together again.
 */
export async function requireHead(target: ArchiveTarget, head: Head | undefined): Promise<Head | undefined> {
  if (!head || head.isPruned) return head;
  try {
    if ((await readSha256(await target.open(head.manifest))) === head.manifestSha256) return head;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  throw new AppError('conflict', `${target.name} does not have the last archive (${head.manifest})`, {
    hint: 'Is it mounted, and the one that was used before? Copy the old archives to a new place first.',
  });
}
