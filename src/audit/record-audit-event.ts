import { AuditEvent } from '#src/audit/audit-event.entity.ts';
import { boundFacts, boundText } from '#src/audit/bound-facts.ts';
import type { EventType } from '#src/audit/event-types.ts';
import type { Actor, Work } from '#src/kernel/work.ts';

export interface AuditFacts {
  /** Whom it is about. */
  userId?: string | undefined;
  /** The name of the identity provider it went through. */
  provider?: string | undefined;
  /** Never a secret, a token or a password. */
  metadata?: Record<string, unknown>;
}

/** Adds to the audit log what this unit of work does; both are saved together or not at all. */
export function recordAuditEvent(work: Work, eventType: EventType, facts: AuditFacts): void {
  work.em.create(AuditEvent, auditEntry(work.actor, work.now(), { eventType, ...facts }));
  countLogin(work, eventType, facts);
}

/** A metric by provider and reason (decisions, section 4). */
function countLogin(work: Work, eventType: EventType, { provider, metadata = {} }: AuditFacts): void {
  const { method, reason } = metadata;
  const way = provider ?? (method === 'local' ? 'local' : 'unknown');
  if (eventType === 'login') work.count('logins', { provider: way });
  if (eventType === 'login_failed') {
    work.count('login_failures', { provider: way, reason: typeof reason === 'string' ? reason : 'unknown' });
  }
}

/** One entry, as it is stored. Texts may come from anybody: each is cut to 500 characters and loses its control characters. */
export function auditEntry(
  actor: Actor,
  createdAt: Date,
  { eventType, userId, provider, metadata = {} }: AuditFacts & { eventType: EventType },
) {
  const { osUser } = actor;
  return {
    createdAt,
    eventType,
    userId: userId ?? null,
    actorId: actor.userId ?? null,
    actorKind: actor.kind,
    provider: textOrNull(provider),
    ipAddress: textOrNull(actor.ipAddress),
    userAgent: textOrNull(actor.userAgent),
    metadata: boundFacts(osUser === undefined ? metadata : { ...metadata, os_user: osUser }),
    requestId: textOrNull(actor.requestId),
  };
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : boundText(text);
}
