import { type Column, presentRow } from '#cli/render.ts';
import { shortTime } from '#cli/times.ts';
import { AUDIT_FIELDS } from '#src/audit/audit-fields.ts';
import type { AuditRow } from '#src/audit/audit-row.ts';

/** What people see of a field; fields that are not here are for programs. */
const SHOWN: Readonly<Record<string, Partial<Column<AuditRow>>>> = {
  created_at: { header: 'WHEN', text: ({ createdAt }) => shortTime(createdAt) },
  event_type: { header: 'EVENT' },
  user_email: { header: 'USER', text: ({ userEmail, userId }) => userEmail ?? userId ?? '-' },
  actor_email: { header: 'BY', text: by },
  ip_address: { header: 'FROM' },
  provider: {},
  metadata: { header: 'DETAILS' },
};

export const AUDIT_COLUMNS: Column<AuditRow>[] = AUDIT_FIELDS.map((field) => ({
  ...field,
  ...(SHOWN[field.key] ?? { detail: true }),
}));

/** One event in JSON: as in CSV, but the details are an object. */
export function presentAuditRow(row: AuditRow): Record<string, unknown> {
  return { ...presentRow(AUDIT_COLUMNS, row), metadata: row.metadata };
}

/** Who did it, and where nobody is known, through what. */
function by({ actorEmail, actorId, actorKind, metadata }: AuditRow): string {
  const osUser = typeof metadata.os_user === 'string' ? `:${metadata.os_user}` : '';
  return actorEmail ?? actorId ?? `${actorKind}${osUser}`;
}
