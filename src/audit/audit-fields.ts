import type { AuditRow } from '#src/audit/audit-row.ts';

export interface AuditField {
  /** The heading in CSV and the key in JSON. */
  key: string;
  value: (row: AuditRow) => string | null;
}

/** The columns of the log wherever it leaves the service as a table. */
export const AUDIT_FIELDS: readonly AuditField[] = [
  { key: 'created_at', value: ({ createdAt }) => createdAt.toISOString() },
  { key: 'event_type', value: ({ eventType }) => eventType },
  { key: 'user_id', value: ({ userId }) => userId },
  { key: 'user_email', value: ({ userEmail }) => userEmail },
  { key: 'actor_kind', value: ({ actorKind }) => actorKind },
  { key: 'actor_id', value: ({ actorId }) => actorId },
  { key: 'actor_email', value: ({ actorEmail }) => actorEmail },
  { key: 'provider', value: ({ provider }) => provider },
  { key: 'ip_address', value: ({ ipAddress }) => ipAddress },
  { key: 'user_agent', value: ({ userAgent }) => userAgent },
  { key: 'request_id', value: ({ requestId }) => requestId },
  { key: 'metadata', value: ({ metadata }) => JSON.stringify(metadata) },
  { key: 'id', value: ({ id }) => id },
];
