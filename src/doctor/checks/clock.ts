import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, fail, ok, type Subject, warn } from '#src/doctor/check.ts';

/** Our clock against the database's; half of the way there and back is its age when it arrives. */
export async function clock(subject: Subject): Promise<Finding> {
  const { sql } = await databaseOf(subject);
  const before = subject.now().getTime();
  const [row] = await sql<{ at: string }>(
    `select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as at`,
  );
  const middle = (before + subject.now().getTime()) / 2;
  return judgeClock((middle - Number(row?.at)) / 1_000);
}

/** `ahead`: seconds that our clock is ahead of the database's. */
export function judgeClock(ahead: number): Finding {
  const seconds = Math.abs(ahead);
  if (seconds <= 5) return ok(`agrees with the database's within ${seconds < 1 ? 'a second' : '5 seconds'}`);
  const text = `${Math.round(seconds)} seconds ${ahead > 0 ? 'ahead of' : 'behind'} the database's`;
  const hint = 'Set both by NTP: sign-ins and expiry go by them.';
  return seconds <= 60 ? warn(text, hint) : fail(text, hint);
}
