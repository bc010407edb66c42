import type { Host } from '#cli/host.ts';
import type { Identity } from '#src/sso/connector.ts';
import type { ForeseenLogin } from '#src/sso/login/foresee-login.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** What a sign-in would do with this identity. */
export async function foresee(host: Host, provider: Provider, identity: Identity): Promise<ForeseenLogin> {
  const { foreseeLogin } = await import('#src/sso/login/foresee-login.ts');
  const { jitMode: mode, allowedDomains } = host.config().sso;
  return host.read((work) => foreseeLogin(work, { provider, identity, rules: { mode, allowedDomains } }));
}
