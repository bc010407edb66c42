import type { Identity } from '#src/sso/connector.ts';
import { createSamlConnector } from '#src/sso/connectors/saml.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import type { AnswerOptions, SamlIdp } from '#test/sso/support/saml-idp.ts';

export const ACS_URL = 'http://localhost:3000/auth/saml/corp/callback';
export const STATE = 'state-of-this-login';

export function samlProvider(idp: SamlIdp, changes: Partial<SamlProvider> = {}): SamlProvider {
  return {
    id: 'corp',
    name: 'corp',
    label: 'Company login',
    enabled: true,
    defaultRole: 'member',
    roleMapping: { mappings: [], conditions: [], hierarchy: {}, customMappings: {} },
    trustEmail: false,
    strategy: 'saml',
    entityId: idp.entityId,
    ssoUrl: idp.ssoUrl,
    certificates: [idp.certificate],
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    attributes: {},
    signRequests: false,
    requireEncryptedAssertions: false,
    allowIdpInitiated: false,
    allowSha1: false,
    ...changes,
  };
}

export interface SamlLogin {
  idp: SamlIdp;
  access: ProviderAccess;
  provider?: Partial<SamlProvider> | undefined;
  answer?: Partial<AnswerOptions> | undefined;
  /** Changes what the browser brings. */
  carry?: ((message: string) => string) | undefined;
}

/** A whole sign-in: there, and back with the provider's answer. */
export async function signInBySaml({ idp, access, provider, answer, carry }: SamlLogin): Promise<Identity> {
  const connector = createSamlConnector(samlProvider(idp, provider), access);
  const login = { state: STATE, redirectUri: ACS_URL };
  const { redirectTo, form, secrets } = await connector.startLogin(login);
  const { id, relayState } = idp.readRequest(form ?? redirectTo);
  const posted = await idp.answer({ requestId: id, acsUrl: ACS_URL, relayState, ...answer });
  const message = carry?.(posted.SAMLResponse) ?? posted.SAMLResponse;
  return await connector.handleCallback(
    { url: new URL(ACS_URL), form: { ...posted, SAMLResponse: message } },
    { ...login, secrets },
  );
}

/** Why it was refused, with the word for the log; `accepted` when it was not. */
export async function refusalOf(login: Promise<Identity>): Promise<string> {
  try {
    await login;
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    return [error.reason, error.detail].filter((part) => part !== undefined).join(': ');
  }
  return 'accepted';
}
