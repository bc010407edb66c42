import { AuditEvent } from '#src/audit/audit-event.entity.ts';
import type { EventType } from '#src/audit/event-types.ts';
import type { Work } from '#src/kernel/work.ts';

export interface AuditFacts {
  /** Whom it is about. */
  userId?: string | undefined;
  /** The name of the identity provider it went through. */
  provider?: string | undefined;
  /** Never a secret, a token or a password. */
  metadata?: Record<string, unknown>;
}

/** Adds to the audit log what this unit of work does; both are saved together or not at all. */
export function recordAuditEvent(
  work: Work,
  eventType: EventType,
  { userId, provider, metadata = {} }: AuditFacts,
): void {
  const { actor } = work;
  work.em.create(AuditEvent, {
    createdAt: work.now(),
    eventType,
    userId: userId ?? null,
    actorId: actor.userId ?? null,
    actorKind: actor.kind,
    provider: provider ?? null,
    ipAddress: actor.ipAddress ?? null,
    userAgent: actor.userAgent ?? null,
    metadata: actor.osUser === undefined ? metadata : { ...metadata, os_user: actor.osUser },
    requestId: actor.requestId ?? null,
  });
}
