import type { Departure, LoginSecrets } from '#src/sso/connector.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { SamlProvider } from '#src/sso/provider.ts';
import { newMessageId } from '#src/sso/saml/logout-message.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

interface Login {
  state: string;
  redirectUri: string;
}

/** An AuthnRequest (SAML Core, section 3.4), signed when the provider is set up so, and its id to be answered. */
export async function requestLogin(
  provider: SamlProvider,
  party: SamlParty,
  { state, redirectUri }: Login,
): Promise<Departure & { secrets: LoginSecrets }> {
  if (provider.signRequests && provider.privateKey === undefined) {
    throw new LoginRefused('provider_misconfigured', 'private_key');
  }
  // Loaded by those alone who need it.
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const requestId = newMessageId();
  const saml = new SAML({
    entryPoint: party.ssoUrl,
    issuer: redirectUri.replace(/\/callback$/, ''),
    callbackUrl: redirectUri,
    idpCert: [...party.certificates],
    identifierFormat: provider.nameIdFormat,
    disableRequestedAuthnContext: true,
    // It keeps requests for itself otherwise; ours are kept where every process finds them.
    validateInResponseTo: ValidateInResponseTo.never,
    generateUniqueId: () => requestId,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    // A form carries the message as it is, a query compressed (SAML Bindings, sections 3.4.4.1 and 3.5.4).
    skipRequestCompression: party.ssoBinding === 'post',
    ...(provider.signRequests && provider.privateKey !== undefined && { privateKey: provider.privateKey }),
  });
  const secrets = { requestId };
  if (party.ssoBinding === 'redirect') {
    return { redirectTo: new URL(await saml.getAuthorizeUrlAsync(state, undefined, {})), secrets };
  }
  const { SAMLRequest } = await saml.getAuthorizeMessageAsync(state);
  return {
    redirectTo: new URL(party.ssoUrl),
    form: { SAMLRequest: String(SAMLRequest), RelayState: state },
    secrets,
  };
}
