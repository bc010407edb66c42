import { LoginRefused } from '#src/sso/login-refused.ts';

/** Runs what one login asks a provider; refused as `provider_timeout` once the time is over, whatever still runs. */
export async function withDeadline<Result>(
  milliseconds: number,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.abort();
    reject(new LoginRefused('provider_timeout'));
  }, milliseconds);
  try {
    return await Promise.race([task(deadline.signal), over]);
  } finally {
    clearTimeout(timer);
  }
}
