import type { ArchivedEvent } from '#src/audit/archive/files/archived-event.ts';
import { readArchivedDay } from '#src/audit/archive/files/read-archived-day.ts';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { type AuditFilter, type AuditRow, toAuditRow } from '#src/audit/audit-row.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

interface Source extends Sql {
  target: ArchiveTarget;
  signal: AbortSignal;
}

/** The events of an archived day that match, batch by batch. An archive that is missing or changed is `validation_failed`. */
export async function* readArchivedEvents(
  { target, signal, sql }: Source,
  archive: ArchiveRecord,
  filter: AuditFilter,
): AsyncGenerator<AuditRow[]> {
  try {
    for await (const batch of readArchivedDay(target, archive, signal)) {
      const events = batch.filter((event) => matches(event, filter));
      if (events.length > 0) yield await addEmails({ sql }, events);
    }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    const { message, hint } = error;
    throw new AppError('validation_failed', message, { hint, cause: error });
  }
}

function matches(event: ArchivedEvent, filter: AuditFilter): boolean {
  const { eventType, userId, actorId, provider, since, until } = filter;
  const createdAt = new Date(event.created_at);
  return (
    (eventType === undefined || event.event_type === eventType) &&
    (userId === undefined || event.user_id === userId) &&
    (actorId === undefined || event.actor_id === actorId) &&
    (provider === undefined || event.provider === provider) &&
    (since === undefined || createdAt >= since) &&
    (until === undefined || createdAt < until)
  );
}

const EMAILS = 'select id, email from users where id = any($1::uuid[])';

/** The emails of those who are still there. */
async function addEmails({ sql }: Sql, events: readonly ArchivedEvent[]): Promise<AuditRow[]> {
  const ids = events.flatMap(({ user_id, actor_id }) => [user_id, actor_id]).filter((id) => id !== null);
  const rows = await sql<{ id: string; email: string }>(EMAILS, [[...new Set(ids)]]);
  const emails = new Map(rows.map(({ id, email }) => [id, email]));
  const emailOf = (id: string | null) => emails.get(id ?? '') ?? null;
  return events.map((event) =>
    toAuditRow({ ...event, user_email: emailOf(event.user_id), actor_email: emailOf(event.actor_id) }),
  );
}
