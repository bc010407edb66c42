import { LoginRefused } from '#src/sso/login-refused.ts';
import type { SamlProvider } from '#src/sso/provider.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

/** The provider as it is at this moment. Throws `LoginRefused` when neither settings nor metadata say enough. */
export async function findParty(provider: SamlProvider, _access: ProviderAccess): Promise<SamlParty> {
  const { entityId, ssoUrl, certificates, logoutUrl, logoutResponseUrl } = provider;
  if (entityId === undefined || ssoUrl === undefined || certificates.length === 0) {
    throw new LoginRefused('provider_misconfigured', 'metadata');
  }
  return {
    entityId,
    ssoUrl,
    ssoBinding: provider.ssoBinding ?? 'redirect',
    certificates,
    logoutUrl,
    logoutBinding: provider.logoutBinding ?? 'redirect',
    logoutResponseUrl,
  };
}
