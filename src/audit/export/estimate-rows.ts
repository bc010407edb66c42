import { AUDIT_CONDITION, type AuditFilter, auditConditionValues } from '#src/audit/audit-row.ts';
import type { Segment } from '#src/audit/export/plan-export.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

const EXPLAIN = `explain (format json) select from audit_events e where ${AUDIT_CONDITION}`;

interface Explained {
  'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
}

/** What the planner expects, which costs nothing; undefined where a filter is applied to archives. */
export async function estimateRows(
  { sql }: Sql,
  filter: AuditFilter,
  segments: readonly Segment[],
): Promise<number | undefined> {
  const { eventType, userId, actorId, provider } = filter;
  const archived = segments.reduce((rows, { archive }) => rows + (archive?.rows ?? 0), 0);
  if (archived > 0 && (eventType ?? userId ?? actorId ?? provider) !== undefined) return undefined;
  const [row] = await sql<Explained>(EXPLAIN, auditConditionValues(filter));
  return row && archived + row['QUERY PLAN'][0].Plan['Plan Rows'];
}
