import { hash } from 'node:crypto';
import { tooMany } from '#src/http/rate-limit.ts';
import { countUse, type Quota } from '#src/kernel/quota.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** Mails to one account, and requests from one source for whomever. */
const PER_ACCOUNT: Quota = { limit: 3, seconds: 900 };
const PER_ADDRESS: Quota = { limit: 10, seconds: 900 };

/**
 * Counts a request for a reset link, over all processes. Throws `rate_limit_exceeded` for one source that asks too
 * often; answers false, which nobody may see, when this account has had its mails.
 */
export async function countResetRequest(
  runtime: Runtime,
  { email, source }: { email: string; source: string },
): Promise<boolean> {
  const byAddress = await countUse(runtime, `reset-address:${source}`, PER_ADDRESS);
  if (byAddress.count > PER_ADDRESS.limit) {
    throw tooMany({ limit: PER_ADDRESS.limit, current: byAddress.count, wait: byAddress.resetInSeconds });
  }
  const byAccount = await countUse(runtime, `reset-account:${hash('sha256', email)}`, PER_ACCOUNT);
  return byAccount.count <= PER_ACCOUNT.limit;
}
