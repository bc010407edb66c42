import { readCursor, writeCursor } from '#src/audit/audit-cursor.ts';
import {
  AUDIT_COLUMNS,
  AUDIT_CONDITION,
  type AuditFilter,
  type AuditRow,
  auditConditionValues,
  type StoredAuditRow,
  toAuditRow,
} from '#src/audit/audit-row.ts';
import type { Work } from '#src/kernel/work.ts';

export interface AuditRequest extends AuditFilter {
  /** At most this many. */
  limit: number;
  /** The `next` of the page before; default: the newest. */
  cursor?: string | undefined;
}

export interface AuditPage {
  items: AuditRow[];
  /** Leads to the page after this one; undefined on the last. */
  next: string | undefined;
}

/** One event more than asked for tells whether there is a next page. */
const LIST = `with picked as (
  select * from audit_events e
  where ${AUDIT_CONDITION}
    and ($7::timestamptz is null or (e.created_at, e.id) < ($7::timestamptz, $8::uuid))
  order by e.created_at desc, e.id desc limit $9
)
select ${AUDIT_COLUMNS} order by e.created_at desc, e.id desc`;

/** Newest first. New events never move a page that has been given out: it goes on from an event, not from a count. */
export async function listAuditEvents(
  work: Work,
  { limit, cursor, ...filter }: AuditRequest,
): Promise<AuditPage> {
  const place = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await work.sql<StoredAuditRow>(LIST, [
    ...auditConditionValues(filter),
    place?.createdAt ?? null,
    place?.id ?? null,
    limit + 1,
  ]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next =
    rows.length > limit && last ? writeCursor({ createdAt: last.created_at, id: last.id }) : undefined;
  return { items: shown.map(toAuditRow), next };
}
