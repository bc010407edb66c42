import type { AuditFilter } from '#src/audit/audit-row.ts';
import { EVENT_TYPES } from '#src/audit/event-types.ts';
import { isCalendarDate } from '#src/http/api/calendar-date.ts';
import type { Fields } from '#src/http/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { findUserId } from '#src/users/find-user.ts';

/** The fields of the form. */
export const AUDIT_FILTERS = ['event', 'user', 'provider', 'from', 'to'] as const;

const DAY_MS = 86_400_000;

interface Days {
  since?: Date | undefined;
  until?: Date | undefined;
}

/** The events that the form asks for, and everything that is wrong with it. */
export async function toAuditFilter(
  work: Work,
  fields: Fields,
): Promise<{ filter: AuditFilter; problems: Problem[] }> {
  const problems: Problem[] = [];
  const eventType = fields.get('event');
  if (eventType !== undefined && !EVENT_TYPES.some((type) => type === eventType)) {
    problems.push({ message: `"${eventType}" is not a type of event`, field: 'event' });
  }
  const userId = await resolveUser(work, fields.get('user'), problems);
  const days = readDays(fields, problems);
  return { filter: { eventType, userId, provider: fields.get('provider'), ...days }, problems };
}

/** Whole days in UTC, both included. */
function readDays(fields: Fields, problems: Problem[]): Days {
  const from = readDay('from', 'The first day', fields, problems);
  const to = readDay('to', 'The last day', fields, problems);
  if (from && to && from > to) {
    problems.push({ message: 'The first day lies after the last', field: 'from' });
  }
  const until = to && new Date(to.getTime() + DAY_MS);
  // After the last year that is written with four digits nothing ends; PostgreSQL cannot read more of them.
  return { since: from, until: until && until.getUTCFullYear() > 9999 ? undefined : until };
}

function readDay(name: string, what: string, fields: Fields, problems: Problem[]): Date | undefined {
  const text = fields.get(name);
  if (text === undefined) return undefined;
  if (isCalendarDate(text)) return new Date(`${text}T00:00:00Z`);
  problems.push({ message: `${what} must be a date such as 2026-01-31`, field: name });
  return undefined;
}

async function resolveUser(
  work: Work,
  reference: string | undefined,
  problems: Problem[],
): Promise<string | undefined> {
  if (reference === undefined) return undefined;
  try {
    return await findUserId(work, reference);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = `No user has the email "${reference}". Somebody who is gone can be found by their id.`;
    problems.push({ message, field: 'user' });
    return undefined;
  }
}
