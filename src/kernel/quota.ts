import { named } from '#src/kernel/statement.ts';
import { tidy } from '#src/kernel/tidy.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** So many of something from one source within so many seconds, counted from the first. */
export interface Quota {
  limit: number;
  seconds: number;
}

export interface Usage {
  /** How many so far, this one included. */
  count: number;
  /** Seconds until the count begins anew; at least 1. */
  resetInSeconds: number;
}

/** One row per source and window, so every process counts into the same number. In order, so that nobody waits in a circle. */
const COUNT = `insert into rate_limits (key, window_start, window_end, count)
select key, now(), now() + make_interval(secs => seconds), 1
from unnest($1::text[], $2::integer[]) as counted (key, seconds) order by key
on conflict (key) do update set
  count = case when rate_limits.window_end <= now() then 1 else rate_limits.count + 1 end,
  window_start = case when rate_limits.window_end <= now() then now() else rate_limits.window_start end,
  window_end = case when rate_limits.window_end <= now() then excluded.window_end else rate_limits.window_end end
returning key, count, greatest(ceil(extract(epoch from window_end - now())), 1)::integer as reset`;

const FORGET = `delete from rate_limits where key in (
  select key from rate_limits where window_end < now() - interval '5 minutes' limit 1000 for update skip locked)`;

/** Counts one more for `source`. */
export async function countUse(runtime: Runtime, source: string, quota: Quota): Promise<Usage> {
  const [usage] = await countUses(runtime, [[source, quota]]);
  return usage ?? { count: 1, resetInSeconds: quota.seconds };
}

/** Counts one more for each source, in one statement; the answers stand in the same order. */
export async function countUses(
  runtime: Runtime,
  counted: readonly (readonly [source: string, quota: Quota])[],
): Promise<Usage[]> {
  const { rows } = await runtime.pool.query<{ key: string; count: number; reset: number }>({
    ...named(runtime.config, 'count_uses'),
    text: COUNT,
    values: [counted.map(([source]) => source), counted.map(([, { seconds }]) => seconds)],
  });
  if (rows.some(({ count }) => count === 1)) tidy(runtime, FORGET);
  return counted.map(([source, { seconds }]) => {
    const row = rows.find(({ key }) => key === source);
    return { count: row?.count ?? 1, resetInSeconds: row?.reset ?? seconds };
  });
}

/** What has turned out well: begins anew for one source, and takes one back from the other. */
export async function uncount(
  { pool, config }: Runtime,
  { startOver, takeBack }: { startOver: string; takeBack: string },
): Promise<void> {
  await pool.query({
    ...named(config, 'uncount'),
    text: UNCOUNT,
    values: [startOver, takeBack],
  });
}

const UNCOUNT = `with held as materialized (
  select key from rate_limits where key in ($1, $2) order by key for update
), anew as (
  delete from rate_limits where key = $1 and key in (select key from held)
)
update rate_limits set count = count - 1 where key = $2 and count > 1 and key in (select key from held)`;
