import type { Provider } from '#src/sso/providers/provider.ts';

/**
 * Whom the subjects of a provider belong to: the same subject elsewhere is somebody else. Null for SAML when its
 * metadata alone says it. For OAuth 2.0, whose identities have no issuer, it is never equal to one.
 */
export function subjectHome(provider: Provider): string | null {
  if (provider.strategy === 'openid_connect') return provider.issuer;
  if (provider.strategy === 'saml') return provider.entityId ?? null;
  return `${provider.userInfoUrl} ${provider.attributes.subject}`;
}
