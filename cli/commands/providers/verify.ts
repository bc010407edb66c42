import type { Host } from '#cli/host.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Provider } from '#src/sso/provider.ts';
import type { ProviderReport } from '#src/sso/provider-check.ts';

/** Asks an OpenID Connect provider whether the issuer is right, and throws when it cannot be saved like this. */
export async function verifyProvider(host: Host, provider: Provider): Promise<void> {
  const refusal = await whyRefused(host, provider);
  if (!refusal) return;
  const { code, message, errors } = refusal;
  throw new AppError(code, message, { errors, hint: '--skip-verify saves it without asking the provider.' });
}

/** As verifyProvider, for somebody who asks several. */
export async function whyRefused(host: Host, provider: Provider): Promise<AppError | undefined> {
  if (provider.strategy !== 'openid_connect') return undefined;
  const [{ refuseReport }, report] = await Promise.all([
    import('#src/sso/refuse-report.ts'),
    askProvider(host, provider),
  ]);
  return report && refuseReport(report);
}

/** What the provider says of itself; undefined for SAML, where there is nobody to ask. */
export async function askProvider(
  host: Host,
  provider: Provider,
  timeout?: number,
): Promise<ProviderReport | undefined> {
  if (provider.strategy === 'saml') return undefined;
  const [{ checkProvider }, { createProviderAccess }] = await Promise.all([
    import('#src/sso/check-provider.ts'),
    import('#src/sso/provider-access.ts'),
  ]);
  const { caFile, allowPrivateNetworks } = host.config().sso;
  const access = createProviderAccess({
    caFile,
    allowPrivateNetworks,
    loginTimeout: timeout,
    callTimeout: timeout,
    now: () => new Date(),
  });
  try {
    return await checkProvider(provider, access);
  } finally {
    access.close();
  }
}
