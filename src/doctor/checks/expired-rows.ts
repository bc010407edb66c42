import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, ok, type Subject, warn } from '#src/doctor/check.ts';

/** Rows that ended more than a day ago; the server removes them a thousand at a time while it is used. */
const EXPIRED = ['sessions', 'access_tokens', 'pending_logins', 'used_assertions', 'password_resets']
  .map(
    (table) => `select '${table}' as name, count(*)::integer as rows
      from (select 1 from ${table} where expires_at < now() - interval '1 day' limit 100000) e`,
  )
  .join(' union all ');

const MANY = 10_000;

export async function expiredRows(subject: Subject): Promise<Finding> {
  const { sql } = await databaseOf(subject);
  const found = await sql<{ name: string; rows: number }>(EXPIRED);
  const there = found.filter(({ rows }) => rows > 0).map(({ name, rows }) => `${rows} of ${name}`);
  if (there.length === 0) return ok('none older than a day');
  const text = `older than a day: ${there.join(', ')}`;
  if (found.every(({ rows }) => rows < MANY)) return ok(text);
  return warn(text, 'A running server removes them while it is used; look in its log for not_tidied.');
}
