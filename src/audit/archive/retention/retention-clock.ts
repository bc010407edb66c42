import type { Sql } from '#src/kernel/sql-on.ts';

/** Clocks of two machines differ by this much without anybody having to do something about it. */
const TOLERATED_MS = 60_000;

/** What time it is where events are removed by their age. */
export interface RetentionClock {
  /** The earlier of our clock and the database's: a clock that is ahead must not remove anything too soon. */
  now: Date;
  /** Set when ours is ahead by more than a minute. */
  warning: string | undefined;
}

export async function readRetentionClock(db: Sql, ours: Date): Promise<RetentionClock> {
  const [row] = await db.sql<{ now: string }>('select clock_timestamp()::text as now');
  const theirs = new Date(row?.now ?? Number.NaN);
  const ahead = ours.getTime() - theirs.getTime();
  const warning =
    ahead > TOLERATED_MS
      ? `the clock of this machine is ${Math.round(ahead / 1_000)} s ahead of the database's, whose time counts`
      : undefined;
  return { now: ahead > 0 ? theirs : ours, warning };
}
