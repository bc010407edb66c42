import { invalid } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';

/** A place in the log: right behind the event of this time and id. */
export interface AuditPlace {
  /** PostgreSQL's own text, to the microsecond. */
  createdAt: string;
  id: string;
}

/** UTC, as every session prints it. */
const TIME = /^(?!0000)(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?\+00$/;

/** The place as a word for an address; its shape is nobody's business. */
export function writeCursor({ createdAt, id }: AuditPlace): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url');
}

/** Throws `validation_failed` when nobody has been given this cursor. */
export function readCursor(cursor: string): AuditPlace {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [createdAt, id] = [text.slice(0, -37), text.slice(-36)];
  if (!isMoment(createdAt) || !isUuid(id)) {
    throw invalid(['the cursor is not one that a page of the audit log has named']);
  }
  return { createdAt, id };
}

/** A time there is: neither the 31st of February nor the 25th hour. */
function isMoment(text: string): boolean {
  const [, day, time] = TIME.exec(text) ?? [];
  const date = new Date(`${day}T${time}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${day}T${time}`);
}
