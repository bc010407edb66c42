import type { Actor } from '#src/kernel/work.ts';

/** One line of the audit log, with the emails of those it names who are still there. */
export interface AuditRow {
  id: string;
  createdAt: Date;
  eventType: string;
  /** Whom it is about. */
  userId: string | null;
  userEmail: string | null;
  /** Who did it. */
  actorId: string | null;
  actorEmail: string | null;
  actorKind: Actor['kind'];
  provider: string | null;
  ipAddress: string | null;
  userAgent: string | null;
  metadata: Record<string, unknown>;
  requestId: string | null;
}

/** Which events are asked for. */
export interface AuditFilter {
  eventType?: string | undefined;
  /** Whom it is about. */
  userId?: string | undefined;
  /** Who did it. */
  actorId?: string | undefined;
  /** The name of an identity provider. */
  provider?: string | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

/** What a query of audit events selects from `picked`, a part of `audit_events`. */
export const AUDIT_COLUMNS = `e.*, u.email as user_email, a.email as actor_email
from picked e left join users u on u.id = e.user_id left join users a on a.id = e.actor_id`;

/** The filter over `audit_events e`, and its values: `$1` to `$6`. */
export const AUDIT_CONDITION = `($1::text is null or e.event_type = $1)
  and ($2::uuid is null or e.user_id = $2)
  and ($3::uuid is null or e.actor_id = $3)
  and ($4::text is null or e.provider = $4)
  and ($5::timestamptz is null or e.created_at >= $5)
  and ($6::timestamptz is null or e.created_at < $6)`;

export function auditConditionValues(filter: AuditFilter): (string | null)[] {
  const { eventType, userId, actorId, provider, since, until } = filter;
  return [
    eventType ?? null,
    userId ?? null,
    actorId ?? null,
    provider ?? null,
    since?.toISOString() ?? null,
    until?.toISOString() ?? null,
  ];
}

/** A row as the database answers it; `created_at` is PostgreSQL's text, to the microsecond. */
export type StoredAuditRow = Record<'id' | 'created_at' | 'event_type', string> &
  Record<
    | 'user_id'
    | 'user_email'
    | 'actor_id'
    | 'actor_email'
    | 'provider'
    | 'ip_address'
    | 'user_agent'
    | 'request_id',
    string | null
  > & { actor_kind: Actor['kind']; metadata: Record<string, unknown> };

export function toAuditRow(row: StoredAuditRow): AuditRow {
  return {
    id: row.id,
    createdAt: new Date(row.created_at),
    eventType: row.event_type,
    userId: row.user_id,
    userEmail: row.user_email,
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    actorKind: row.actor_kind,
    provider: row.provider,
    ipAddress: row.ip_address,
    userAgent: row.user_agent,
    metadata: row.metadata,
    requestId: row.request_id,
  };
}
