import type { Context } from '#src/http/state.ts';
import { AppError } from '#src/kernel/errors.ts';
import { countUse } from '#src/kernel/quota.ts';
import type { Runtime } from '#src/kernel/work.ts';

const WINDOW_SECONDS = 60;

/** Counts one request against the key's minute, says so in the answer's headers, and refuses what is too much. */
export type RateLimit = (ctx: Context, keyId: string) => Promise<void>;

/** Undefined when nothing is limited, which then costs nothing. */
export function createRateLimit(runtime: Runtime): RateLimit | undefined {
  const limit = runtime.config.http.apiRateLimit;
  if (limit === undefined) return undefined;
  const quota = { limit, seconds: WINDOW_SECONDS };

  return async (ctx, keyId) => {
    const { count, resetInSeconds: wait } = await countUse(runtime, `api:${keyId}`, quota);
    announce(ctx, { limit, remaining: Math.max(limit - count, 0), wait });
    if (count > limit) throw tooMany({ limit, current: count, wait });
  };
}

interface Excess {
  limit: number;
  current: number;
  /** Seconds. */
  wait: number;
}

/** The refusal of one request too many; `Retry-After` follows from its details. */
export function tooMany({ limit, current, wait }: Excess): AppError {
  const when = wait < 120 ? `${wait} seconds` : `${Math.ceil(wait / 60)} minutes`;
  return new AppError('rate_limit_exceeded', `Too many requests. Come back in ${when}.`, {
    details: { limit, current, reset_in_seconds: wait },
  });
}

/** `Retry-After`, when what is thrown says how long to wait. */
export function sayWhenToReturn({ res }: Pick<Context, 'res'>, { details }: AppError): void {
  const seconds = details?.reset_in_seconds;
  if (typeof seconds === 'number') res.setHeader('Retry-After', String(seconds));
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
