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

/** One row per source and window, so every process counts into the same number. */
const COUNT = `insert into rate_limits (key, window_start, window_end, count)
values ($1, now(), now() + make_interval(secs => $2), 1)
on conflict (key) do update set
  count = case when rate_limits.window_end <= now() then 1 else rate_limits.count + 1 end,
  window_start = case when rate_limits.window_end <= now() then now() else rate_limits.window_start end,
  window_end = case when rate_limits.window_end <= now() then excluded.window_end else rate_limits.window_end end
returning count, greatest(ceil(extract(epoch from window_end - now())), 1)::integer as reset`;

/** Counts one more for `source`. */
export async function countUse(runtime: Runtime, source: string, { seconds }: Quota): Promise<Usage> {
  const { rows } = await runtime.pool.query<{ count: number; reset: number }>({
    ...(runtime.config.database.namedStatements && { name: 'count_use' }),
    text: COUNT,
    values: [source, seconds],
  });
  const { count, reset } = rows[0] ?? { count: 1, reset: seconds };
  if (count === 1) forgetEnded(runtime);
  return { count, resetInSeconds: reset };
}

/** Takes one back that was counted for `source`, for what has turned out well. */
export async function takeBack({ pool }: Runtime, source: string): Promise<void> {
  await pool.query('update rate_limits set count = count - 1 where key = $1 and count > 1', [source]);
}

/** Begins anew for `source`. */
export async function startOver({ pool }: Runtime, source: string): Promise<void> {
  await pool.query('delete from rate_limits where key = $1', [source]);
}

/** Deletes what no window needs any more. */
function forgetEnded({ pool, log }: Runtime): void {
  pool.query(FORGET).catch((error: Error) => log.warn({ reason: error.message }, 'rate_limits_not_pruned'));
}

const FORGET = `delete from rate_limits where key in (
  select key from rate_limits where window_end < now() - interval '5 minutes' limit 1000 for update skip locked)`;
