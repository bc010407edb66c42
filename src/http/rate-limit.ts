import type { Context } from '#src/http/state.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Runtime } from '#src/kernel/work.ts';

const WINDOW_SECONDS = 60;

/** One row per key and minute, so every process counts into the same number. */
const COUNT = {
  name: 'count_api_request',
  text: `insert into rate_limits (key, window_start, count) values ($1, date_trunc('minute', now()), 1)
on conflict (key, window_start) do update set count = rate_limits.count + 1
returning count, ceil(extract(epoch from window_start + interval '1 minute' - now()))::integer as reset`,
};
const FORGET = `delete from rate_limits where window_start < now() - interval '5 minutes'`;

/** Counts one request against the key's minute, says so in the answer's headers, and refuses what is too much. */
export type RateLimit = (ctx: Context, keyId: string) => Promise<void>;

/** Undefined when nothing is limited, which then costs nothing. */
export function createRateLimit(runtime: Runtime): RateLimit | undefined {
  const { config, pool } = runtime;
  const limit = config.http.apiRateLimit;
  if (limit === undefined) return undefined;
  const forgetOldWindows = createForgetting(runtime);
  const named = config.database.namedStatements;
  const statement = named ? COUNT : { text: COUNT.text };

  return async (ctx, keyId) => {
    const { rows } = await pool.query<{ count: number; reset: number }>({
      ...statement,
      values: [`api:${keyId}`],
    });
    const { count, reset } = rows[0] ?? { count: 1, reset: WINDOW_SECONDS };
    if (count === 1) forgetOldWindows();

    const wait = Math.max(reset, 1);
    announce(ctx, { limit, remaining: Math.max(limit - count, 0), wait });
    if (count > limit) {
      ctx.res.setHeader('Retry-After', String(wait));
      throw new AppError('rate_limit_exceeded', `More than ${limit} requests in one minute`, {
        details: { limit, current: count, reset_in_seconds: wait },
      });
    }
  };
}

/** Deletes what no minute needs any more; once a minute, however many keys begin one. */
function createForgetting(runtime: Runtime): () => void {
  const { pool, log } = runtime;
  let next = 0;
  return () => {
    const at = runtime.now().getTime();
    if (at < next) return;
    next = at + WINDOW_SECONDS * 1_000;
    pool.query(FORGET).catch((error: Error) => log.warn({ reason: error.message }, 'rate_limits_not_pruned'));
  };
}

/** draft-ietf-httpapi-ratelimit-headers, and the older headers that clients of this API know. */
function announce(
  { res }: Context,
  { limit, remaining, wait }: Record<'limit' | 'remaining' | 'wait', number>,
): void {
  res.setHeader('RateLimit-Policy', `"api";q=${limit};w=${WINDOW_SECONDS}`);
  res.setHeader('RateLimit', `"api";r=${remaining};t=${wait}`);
  res.setHeader('X-RateLimit-Limit', String(limit));
  res.setHeader('X-RateLimit-Remaining', String(remaining));
  res.setHeader('X-RateLimit-Reset', String(wait));
}
