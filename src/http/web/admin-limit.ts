import { sourceOf } from '#src/http/address.ts';
import { tooMany } from '#src/http/rate-limit.ts';
import type { Context } from '#src/http/state.ts';
import { countUse, type Quota } from '#src/kernel/quota.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** Specification, Limits: admin endpoints, per address. */
const QUOTA: Quota = { limit: 10, seconds: 60 };

/** Counts a request for the admin pages, over all processes, and refuses what is too much. */
export function adminLimit(runtime: Runtime): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const { count, resetInSeconds } = await countUse(runtime, `admin:${sourceOf(ctx)}`, QUOTA);
    if (count > QUOTA.limit) throw tooMany({ limit: QUOTA.limit, current: count, wait: resetInSeconds });
  };
}
