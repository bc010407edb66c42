import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';

/** Ways to sign in elsewhere that work at this moment. */
export interface Offers {
  providers: readonly Provider[];
  /** All, those that are off included. */
  entries: readonly ProviderEntry[];
  /** What the policy of a page with their buttons must let through. */
  formTargets: string[];
  /** Whether there may be more, had their configuration been readable. */
  unreadable: boolean;
}

/** The providers that are enabled and can work. A file that cannot be read costs the buttons, not the page. */
export async function offerProviders({ runtime, federation }: Web): Promise<Offers> {
  try {
    const { source } = await federation.open();
    const entries = await source.list();
    const providers = entries.flatMap(({ enabled, provider }) => (enabled && provider ? [provider] : []));
    const { appUrl } = runtime.config.http;
    return { providers, entries, formTargets: formTargets(providers, appUrl), unreadable: false };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'configuration_invalid') throw error;
    runtime.log.error({ reason: error.message }, 'providers_unreadable');
    return { providers: [], entries: [], formTargets: [], unreadable: true };
  }
}

/** Any https address, since a provider may send people on to others; plain ones only as they are configured. */
function formTargets(providers: readonly Provider[], appUrl: string): string[] {
  if (providers.length === 0) return [];
  return [...new Set(['https:', ...providers.flatMap((provider) => plainTarget(provider, appUrl))])];
}

function plainTarget(provider: Provider, appUrl: string): string[] {
  const address = addressOf(provider);
  // Only its metadata knows, which no page waits for. Without TLS there or here none is to be demanded.
  if (address === undefined) return [metadataUrlOf(provider), appUrl].some(isPlain) ? ['http:'] : [];
  return isPlain(address) ? [new URL(address).origin] : [];
}

const isPlain = (address: string) => address.startsWith('http:');

function addressOf(provider: Provider): string | undefined {
  if (provider.strategy === 'openid_connect') return provider.issuer;
  return provider.strategy === 'oauth2' ? provider.authorizationUrl : provider.ssoUrl;
}

function metadataUrlOf(provider: Provider): string {
  return (provider.strategy === 'saml' && provider.metadataUrl) || '';
}
