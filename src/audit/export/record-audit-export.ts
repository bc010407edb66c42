import type { AuditFilter } from '#src/audit/audit-row.ts';
import type { ExportFormat } from '#src/audit/export/encodings.ts';
import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';

interface AuditExport {
  format: ExportFormat;
  filter: AuditFilter;
  includeArchive?: boolean;
}

/** That somebody takes the log away, and what of it. */
export function recordAuditExport(work: Work, { format, filter, includeArchive = false }: AuditExport): void {
  const { eventType, userId, actorId, provider, since, until } = filter;
  const named = {
    event_type: eventType,
    user_id: userId,
    actor_id: actorId,
    provider,
    since: since?.toISOString(),
    until: until?.toISOString(),
  };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  recordAuditEvent(work, 'audit_exported', {
    metadata: { format, filter: Object.fromEntries(given), include_archive: includeArchive },
  });
}
