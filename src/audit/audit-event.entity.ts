import { defineEntity, p } from '@mikro-orm/core';
import { EVENT_TYPES } from '#src/audit/event-types.ts';
import { id } from '#src/kernel/columns.ts';

const AuditEventSchema = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  properties: {
    id,
    createdAt: p.datetime(),
    eventType: p.enum(EVENT_TYPES),
    /** Whom it is about. */
    userId: p.uuid().nullable(),
    /** Who did it; null when the door knows no user. */
    actorId: p.uuid().nullable(),
    actorKind: p.enum(['web', 'cli', 'system']),
    provider: p.text().nullable(),
    ipAddress: p.text().nullable(),
    userAgent: p.text().nullable(),
    /** Facts, never secrets. */
    metadata: p.json<Record<string, unknown>>(),
    requestId: p.text().nullable(),
  },
});

/** One line of the audit log. The database refuses to change or remove it. */
export class AuditEvent extends AuditEventSchema.class {}
AuditEventSchema.setClass(AuditEvent);
