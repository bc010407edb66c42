import type { FilterQuery } from '@mikro-orm/core';
import { AuditEvent } from '#src/audit/audit-event.entity.ts';
import type { EventType } from '#src/audit/event-types.ts';
import type { Work } from '#src/kernel/work.ts';

export interface AuditFilter {
  eventType?: EventType | undefined;
  /** Whom it is about. */
  userId?: string | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** At most this many. */
  limit: number;
}

/** Newest first. */
export async function listAuditEvents(
  work: Work,
  { eventType, userId, since, until, limit }: AuditFilter,
): Promise<AuditEvent[]> {
  const where: FilterQuery<AuditEvent> = {
    ...(eventType && { eventType }),
    ...(userId && { userId }),
    ...((since ?? until) && { createdAt: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
  };
  return work.em.find(AuditEvent, where, { orderBy: { createdAt: 'desc', id: 'desc' }, limit });
}
