import type { Sql } from '#src/kernel/sql-on.ts';

/** From one day that has events to the next by the index, whatever number of events lies between. */
const DAYS = `with recursive days as (
  (select (created_at at time zone 'UTC')::date as day from audit_events
    where created_at < $1::timestamptz order by created_at limit 1)
  union all
  select (
    select (e.created_at at time zone 'UTC')::date from audit_events e
    where e.created_at >= (days.day + 1)::timestamp at time zone 'UTC' and e.created_at < $1::timestamptz
    order by e.created_at limit 1
  ) from days where days.day is not null
)
select day::text from days
where day is not null and not exists (select from audit_archives a where a.day = days.day)
order by day`;

/** The days with events that have ended at `before` and are not archived yet, oldest first. */
export async function findDays(db: Sql, before: Date): Promise<string[]> {
  const midnight = `${before.toISOString().slice(0, 10)}T00:00:00Z`;
  return (await db.sql<{ day: string }>(DAYS, [midnight])).map(({ day }) => day);
}
