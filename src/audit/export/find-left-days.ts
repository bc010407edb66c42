import type { Sql } from '#src/kernel/sql-on.ts';

interface DayRange {
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

/** An archive holds a whole day; the database has fewer rows of it as soon as some have been removed. */
const LEFT = `select a.day::text as day from audit_archives a
where a.pruned_at is null
  and ($1::timestamptz is null or a.day >= ($1::timestamptz at time zone 'UTC')::date)
  and ($2::timestamptz is null or a.day < $2::timestamptz at time zone 'UTC')
  and (not $3::boolean
    or a.day <= coalesce((select (min(created_at) at time zone 'UTC')::date from audit_events), a.day))
  and a.rows > (
    select count(*) from audit_events e
    where e.created_at >= a.day::timestamp at time zone 'UTC'
      and e.created_at < (a.day + 1)::timestamp at time zone 'UTC'
  )
order by a.day`;

/** The archived days, `YYYY-MM-DD`, of which events are no longer in the database. */
export async function findLeftDays(
  { sql }: Sql,
  { since, until }: DayRange,
  { oldest }: { oldest: boolean },
): Promise<string[]> {
  const rows = await sql<{ day: string }>(LEFT, [
    since?.toISOString() ?? null,
    until?.toISOString() ?? null,
    oldest,
  ]);
  return rows.map(({ day }) => day);
}
