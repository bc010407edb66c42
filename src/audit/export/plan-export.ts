import { type ArchiveRecord, listArchives } from '#src/audit/archive/list-archives.ts';
import type { AuditFilter } from '#src/audit/audit-row.ts';
import { findLeftDays } from '#src/audit/export/find-left-days.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

/** A stretch of time, and where its events are read. */
export type Segment =
  | { archive: ArchiveRecord }
  | { archive?: undefined; since: Date | undefined; until: Date | undefined };

/** The whole log of a filter, oldest first: a UTC day comes from its archive, or from the database, never from both. */
export async function planExport(sql: Sql, filter: AuditFilter): Promise<Segment[]> {
  const left = new Set(await findLeftDays(sql, filter, { oldest: false }));
  if (left.size === 0) return planSegments([], filter);
  const archives = await listArchives(sql, filter);
  return planSegments(
    archives.filter(({ day }) => left.has(day)),
    filter,
  );
}

const DAY_MS = 86_400_000;

/** `archives` in order of their days. */
export function planSegments(
  archives: readonly ArchiveRecord[],
  { since, until }: Pick<AuditFilter, 'since' | 'until'>,
): Segment[] {
  const segments: Segment[] = [];
  let from = since;
  for (const archive of archives) {
    const midnight = new Date(`${archive.day}T00:00:00Z`);
    if (!from || from < midnight) segments.push({ since: from, until: midnight });
    segments.push({ archive });
    from = new Date(midnight.getTime() + DAY_MS);
  }
  if (!from || !until || from < until) segments.push({ since: from, until });
  return segments;
}
