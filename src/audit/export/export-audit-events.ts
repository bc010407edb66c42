import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { type AuditFilter, auditConditionValues } from '#src/audit/audit-row.ts';
import { ENCODINGS, type ExportFormat } from '#src/audit/export/encodings.ts';
import { estimateRows } from '#src/audit/export/estimate-rows.ts';
import { findLeftDays } from '#src/audit/export/find-left-days.ts';
import { planExport, type Segment } from '#src/audit/export/plan-export.ts';
import { readArchivedEvents } from '#src/audit/export/read-archived-events.ts';
import { inSnapshot, type Snapshot } from '#src/audit/export/snapshot.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface ExportRequest {
  filter: AuditFilter;
  format: ExportFormat;
  /** Days that have left the database are read from their archives. */
  includeArchive: boolean;
  signal: AbortSignal;
}

/** How far an export has come. */
export interface Exported {
  rows: number;
  /** About so many there are; undefined: nobody knows. */
  expected: number | undefined;
  /** Whether all of them have been taken. */
  isComplete: boolean;
  /** How many days came from archives. */
  archivedDays: number;
  /** Days of the filter that are in the archive only, and not asked for. */
  leftDays: string[];
}

/** Takes the pieces of the file. */
export type Take = (chunks: AsyncIterable<string>, exported: Readonly<Exported>) => Promise<void>;

/**
 * Everything of the audit log that matches, oldest first, as it is at one moment: each event that was committed by
 * then exactly once. Two batches are in memory, however many events there are and however slowly they are taken.
 */
export function exportAuditEvents(
  { pool, config }: Pick<Runtime, 'pool' | 'config'>,
  request: ExportRequest,
  take: Take,
): Promise<Exported> {
  const { filter, includeArchive, signal } = request;
  return inSnapshot(pool, signal, async (snapshot) => {
    const segments: Segment[] = includeArchive
      ? await planExport(snapshot, filter)
      : [{ since: filter.since, until: filter.until }];
    const exported: Exported = {
      rows: 0,
      expected: await estimateRows(snapshot, filter, segments),
      isComplete: false,
      archivedDays: 0,
      leftDays: includeArchive ? [] : await findLeftDays(snapshot, filter, { oldest: true }),
    };
    const isArchived = segments.some(({ archive }) => archive);
    const target = isArchived ? await openTarget(config) : undefined;
    try {
      await take(writeFile({ snapshot, target, segments, request, exported }), exported);
    } finally {
      target?.close();
    }
    return exported;
  });
}

interface Parts {
  snapshot: Snapshot;
  target: ArchiveTarget | undefined;
  segments: readonly Segment[];
  request: ExportRequest;
  exported: Exported;
}

async function* writeFile(parts: Parts): AsyncGenerator<string> {
  const { exported } = parts;
  const { join, end } = ENCODINGS[parts.request.format];
  for await (const records of readRecords(parts)) {
    const isFirst = exported.rows === 0;
    exported.rows += records.length;
    yield join(records, isFirst);
  }
  const last = end(exported.rows === 0);
  if (last !== '') yield last;
  exported.isComplete = true;
}

async function* readRecords({
  snapshot,
  target,
  segments,
  request,
  exported,
}: Parts): AsyncGenerator<string[]> {
  const { filter, format, signal } = request;
  const { sql, fromRow, fromEvent } = ENCODINGS[format];
  for (const segment of segments) {
    if (!segment.archive) {
      const values = auditConditionValues({ ...filter, since: segment.since, until: segment.until });
      for await (const rows of snapshot.batches(sql, values)) yield rows.map(fromRow);
    } else if (target) {
      const source = { target, signal, sql: snapshot.sql };
      for await (const events of readArchivedEvents(source, segment.archive, filter)) {
        yield events.map(fromEvent);
      }
      exported.archivedDays += 1;
    }
  }
}
