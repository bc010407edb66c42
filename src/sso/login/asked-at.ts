import type { Provider } from '#src/sso/providers/provider.ts';

/** Where a provider is asked about somebody: when it changes, a login under way belongs to the one before. */
export function askedAt(provider: Provider): string {
  if (provider.strategy === 'openid_connect') return provider.issuer;
  return provider.strategy === 'oauth2' ? provider.tokenUrl : (provider.metadataUrl ?? provider.ssoUrl ?? '');
}
