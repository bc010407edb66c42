import { SOURCES } from '#src/family-data/export-records.ts';
import { inSnapshot, type ReadRows } from '#src/family-data/snapshot.ts';
import { safeJson } from '#src/kernel/safe-text.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface FamilyExport {
  /** NDJSON, a piece at a time: one record `{"type": …, "data": {…}}` for each line. */
  chunks: AsyncIterable<string>;
  /** Records of each type, as far as they have been taken. */
  counts: Record<string, number>;
  /** Whether all of it has been taken. */
  isComplete: boolean;
}

/**
 * A family as it is at one moment, in the shape of Sure's `all.ndjson`. Keys that Sure does not know carry what its
 * shape has no place for. Nothing is read before the first piece is asked for, and no more than a piece is in memory.
 */
export function exportFamily({ pool }: Pick<Runtime, 'pool'>, familyId: string): FamilyExport {
  const exported: FamilyExport = {
    counts: {},
    isComplete: false,
    chunks: inSnapshot(pool, (rows) => writeRecords(rows, familyId, exported)),
  };
  return exported;
}

async function* writeRecords(
  rows: ReadRows,
  familyId: string,
  exported: FamilyExport,
): AsyncGenerator<string> {
  const { counts } = exported;
  for (const { type, sql, toData } of SOURCES) {
    counts[type] = 0;
    for await (const batch of rows(sql, [familyId])) {
      counts[type] += batch.length;
      yield batch.map((row) => `${safeJson({ type, data: toData({ ...row }) })}\n`).join('');
    }
  }
  exported.isComplete = true;
}
