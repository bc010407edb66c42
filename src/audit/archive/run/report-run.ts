import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import type { Work } from '#src/kernel/work.ts';

const UNREPORTED = `select r.unreported_removals::text as removed, count(a.*)::integer as days,
  coalesce(sum(a.rows), 0)::text as rows, max(a.position) as position,
  (select manifest_sha256 from audit_archives order by position desc limit 1) as head
from audit_retention r left join audit_archives a on a.position > r.reported_position
group by r.unreported_removals`;

const REPORTED = `update audit_retention set unreported_removals = 0,
  reported_position = coalesce($1, reported_position),
  last_success_at = case when $2 then now() else last_success_at end`;

/** Records what has been archived and removed since the last entry, that of runs that were killed included. */
export async function reportRun(
  work: Work,
  tier: RetentionTier,
  { complete }: { complete: boolean },
): Promise<void> {
  const [done] = await work.sql<{
    removed: string;
    days: number;
    rows: string;
    position: number | null;
    head: string | null;
  }>(UNREPORTED);
  await work.sql(REPORTED, [done?.position ?? null, complete]);
  if (!done || (done.days === 0 && done.removed === '0')) return;
  recordAuditEvent(work, 'audit_archived', {
    metadata: {
      tier,
      archived_days: done.days,
      archived_rows: Number(done.rows),
      removed_rows: Number(done.removed),
      head: done.head,
    },
  });
}
