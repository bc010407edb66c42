import type { LogoutConnector } from '#src/sso/connector.ts';
import { withDeadline } from '#src/sso/connectors/deadline.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { findParty } from '#src/sso/saml/find-party.ts';
import { writeLogoutRequest } from '#src/sso/saml/logout/write-logout.ts';
import { carryMessage } from '#src/sso/saml/messages/carry-message.ts';
import { newMessageId } from '#src/sso/saml/messages/write-message.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

/**
 * Single logout begun here (SAML Profiles, section 4.4.3). Undefined when it cannot be: providers accept signed
 * requests only, and need a place for them.
 */
export function createSamlLogoutConnector(
  provider: SamlProvider,
  access: ProviderAccess,
): LogoutConnector | undefined {
  const { privateKey, logoutUrl, metadataUrl } = provider;
  if (privateKey === undefined || (logoutUrl ?? metadataUrl) === undefined) return undefined;

  return {
    offersLogout: async () => (await lookUpParty(provider, access))?.logoutUrl !== undefined,

    endSession: async ({ state, leaver }) => {
      if (!leaver) return undefined;
      const party = await lookUpParty(provider, access);
      if (party?.logoutUrl === undefined) return undefined;
      const { logoutUrl: to, logoutBinding: binding } = party;
      const requestId = newMessageId();
      const { entityId } = leaver;
      const head = { id: requestId, entityId, destination: to, issuedAt: access.now() };
      const departure = await carryMessage(
        { kind: 'SAMLRequest', xml: writeLogoutRequest(head, leaver), relayState: state },
        { to, binding, privateKey },
      );
      return { ...departure, requestId };
    },
  };
}

/** Nobody is kept from leaving by a provider whose metadata cannot be had. */
async function lookUpParty(provider: SamlProvider, access: ProviderAccess): Promise<SamlParty | undefined> {
  try {
    return await withDeadline(access.loginTimeout, () => findParty(provider, access));
  } catch (error) {
    if (error instanceof LoginRefused) return undefined;
    throw error;
  }
}
