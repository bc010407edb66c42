import { sourceOf } from '#src/http/address.ts';
import { tooMany } from '#src/http/rate-limit.ts';
import type { Context } from '#src/http/state.ts';

/** Of one source in one process; more than an office sends at once, and what others then wait for is over in seconds. */
const MOST = 64;
/** Seconds. */
const WAIT = 5;

const underWay = new Map<string, number>();

/** Does what takes long and is done one by one. Throws `rate_limit_exceeded` for a source that has too much of it waiting. */
export async function takeTurn<Result>(ctx: Context, task: () => Promise<Result>): Promise<Result> {
  const source = sourceOf(ctx);
  const current = (underWay.get(source) ?? 0) + 1;
  if (current > MOST) throw tooMany({ limit: MOST, current, wait: WAIT });
  underWay.set(source, current);
  try {
    return await task();
  } finally {
    const left = (underWay.get(source) ?? 1) - 1;
    if (left > 0) underWay.set(source, left);
    else underWay.delete(source);
  }
}
