import { hash } from 'node:crypto';
import { AppError } from '#src/kernel/errors.ts';
import { countUses, type Quota, uncount } from '#src/kernel/quota.ts';
import type { Runtime, Work } from '#src/kernel/work.ts';

/** Guesses at one account, from wherever, and from one source, at whomever. Both end by themselves. */
const PER_ACCOUNT: Quota = { limit: 10, seconds: 900 };
const PER_ADDRESS: Quota = { limit: 30, seconds: 900 };

export interface LoginSource {
  /** Lower case. */
  email: string;
  /** Whom limits count as one. */
  address: string;
}

interface Excess {
  error: AppError;
  /** The first refusal of this window; the others say nothing new. */
  first: boolean;
}

/** Counts an attempt before it is made, so that parallel ones cannot slip through. Undefined: go on. */
export async function countFailures(runtime: Runtime, source: LoginSource): Promise<Excess | undefined> {
  const { account, address } = keysOf(source);
  const counted = [[account, PER_ACCOUNT] as const, [address, PER_ADDRESS] as const];
  const usages = await countUses(runtime, counted);
  const excesses = usages
    .map((usage, index) => ({ ...usage, limit: counted[index]?.[1].limit ?? 0 }))
    .filter(({ count, limit }) => count > limit);
  const [worst] = excesses.toSorted((a, b) => b.resetInSeconds - a.resetInSeconds);
  if (!worst) return undefined;
  return {
    error: tooManyFailures(worst),
    first: excesses.every(({ count, limit }) => count === limit + 1),
  };
}

/** A right password clears the account; the source it came from stays counted for its other guesses. */
export async function forgetFailures(runtime: Runtime, source: LoginSource): Promise<void> {
  const { account, address } = keysOf(source);
  await uncount(runtime, { startOver: account, takeBack: address });
}

/** An administrator's remedy for somebody whom the guesses of others lock out. */
export async function forgetAccountFailures(work: Work, email: string): Promise<void> {
  await work.sql('delete from rate_limits where key = $1', [accountKey(email)]);
}

/** An email may be long or hold anything, so its digest stands for it. */
function keysOf({ email, address }: LoginSource): { account: string; address: string } {
  return { account: accountKey(email), address: `login-address:${address}` };
}

function accountKey(email: string): string {
  return `login-account:${hash('sha256', email)}`;
}

function tooManyFailures({
  count,
  limit,
  resetInSeconds,
}: Record<'count' | 'limit' | 'resetInSeconds', number>): AppError {
  const minutes = Math.ceil(resetInSeconds / 60);
  const when = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new AppError('rate_limit_exceeded', `Too many failed attempts. Come back in ${when}.`, {
    details: { limit, current: count, reset_in_seconds: resetInSeconds },
  });
}
