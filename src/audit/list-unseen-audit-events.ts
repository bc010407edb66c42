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

/** What a reader of the log has seen: everything that was committed in this snapshot of the database. */
export interface AuditSnapshot {
  /** PostgreSQL's own text of it. */
  snapshot: string;
  takenAt: string;
}

export interface UnseenRequest extends AuditFilter {
  /** Undefined: nothing has been seen yet. */
  seen?: AuditSnapshot | undefined;
  /** Only the newest of them; default: all. */
  limit?: number | undefined;
}

export interface Unseen {
  /** Oldest first. */
  items: AuditRow[];
  seen: AuditSnapshot;
}

/**
 * An event is dated when it happens and visible when its transaction commits, so a later poll may bring an older
 * event; a position in time would lose it. What counts is the transaction that wrote the row (`xmin`, widened to 64
 * bits): it is new when it was not yet visible in the snapshot of the poll before. That is exact as long as events
 * are not written under savepoints. The date only bounds what is looked at: no transaction of ours is open for ten
 * minutes. One statement has one snapshot, so rows and snapshot belong together.
 */
const UNSEEN = `with poll as materialized (
  select pg_current_snapshot() as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as newest
), picked as (
  select e.* from audit_events e cross join poll
  where ${AUDIT_CONDITION}
    and ($7::pg_snapshot is null or (
      e.created_at > $8::timestamptz - interval '10 minutes'
      and not pg_visible_in_snapshot(
        (poll.newest - ((poll.newest - e.xmin::text::bigint) & 4294967295))::text::xid8, $7::pg_snapshot)
    ))
  order by e.created_at desc, e.id desc limit $9
)
select poll.snapshot::text as snapshot, now()::text as taken_at, events.*
from poll left join (select ${AUDIT_COLUMNS}) events on true
order by events.created_at, events.id`;

type Row = { snapshot: string; taken_at: string } & (StoredAuditRow | { id: null });

/** The events that were not committed when the log was last looked at, each of them once in a row of calls. */
export async function listUnseenAuditEvents(
  work: Work,
  { seen, limit, ...filter }: UnseenRequest,
): Promise<Unseen> {
  const rows = await work.sql<Row>(UNSEEN, [
    ...auditConditionValues(filter),
    seen?.snapshot ?? null,
    seen?.takenAt ?? null,
    limit ?? null,
  ]);
  const [first] = rows;
  if (!first) throw new Error('the database has told no snapshot');
  return {
    items: rows.flatMap((row) => (row.id === null ? [] : [toAuditRow(row)])),
    seen: { snapshot: first.snapshot, takenAt: first.taken_at },
  };
}
