import type { Host } from '#cli/host.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';

/** Runs a task that asks identity providers. `timeout` is in milliseconds, for all of it. */
export async function withAccess<Result>(
  host: Host,
  timeout: number | undefined,
  task: (access: ProviderAccess) => Promise<Result>,
): Promise<Result> {
  const { createProviderAccess } = await import('#src/sso/provider-access.ts');
  const { caFile, sso } = host.config();
  const { allowPrivateNetworks } = sso;
  const access = createProviderAccess({
    caFile,
    allowPrivateNetworks,
    loginTimeout: timeout,
    callTimeout: timeout,
    now: () => new Date(),
  });
  try {
    return await task(access);
  } finally {
    access.close();
  }
}
