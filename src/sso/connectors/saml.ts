import type { Connector, Departure, Identity, LoginSecrets, StartedLogin } from '#src/sso/connector.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { entityIdOf } from '#src/sso/providers/provider-urls.ts';
import { findParty, refreshParty } from '#src/sso/saml/find-party.ts';
import type { ResponseCheck, ResponseVerdict } from '#src/sso/saml/login/response-check.ts';
import { writeAuthnRequest } from '#src/sso/saml/login/write-authn-request.ts';
import { carryMessage } from '#src/sso/saml/messages/carry-message.ts';
import { newMessageId } from '#src/sso/saml/messages/write-message.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

/** SAML 2.0 Web Browser SSO (SAML Profiles, section 4.1): a request by redirect or form, its answer by form. */
export function createSamlConnector(provider: SamlProvider, access: ProviderAccess): Connector {
  return {
    startLogin: (login) => requestLogin(provider, access, login),

    handleCallback: async ({ form }, login) => {
      const message = form?.SAMLResponse;
      if (message === undefined) throw new LoginRefused('callback_invalid');
      const answers = requireAnswers(provider, login);
      const { steps, identity } = await checkSamlResponse(provider, access, {
        message,
        acsUrl: login.redirectUri,
        answers,
        thorough: false,
      });
      return identity ?? refuse(steps);
    },
  };
}

async function requestLogin(
  provider: SamlProvider,
  access: ProviderAccess,
  { state, redirectUri }: Omit<StartedLogin, 'secrets'>,
): Promise<Departure & { secrets: LoginSecrets }> {
  const { signRequests, privateKey } = provider;
  if (signRequests && privateKey === undefined) {
    throw new LoginRefused('provider_misconfigured', 'private_key');
  }
  const { ssoUrl: to, ssoBinding: binding, nameIdFormat } = await findParty(provider, access);
  const requestId = newMessageId();
  const xml = writeAuthnRequest(
    { id: requestId, entityId: entityIdOf(redirectUri), destination: to, issuedAt: access.now() },
    { acsUrl: redirectUri, nameIdFormat },
  );
  const departure = await carryMessage(
    { kind: 'SAMLRequest', xml, relayState: state },
    { to, binding, privateKey: signRequests ? privateKey : undefined },
  );
  access.responses.warmUp();
  return { ...departure, secrets: { requestId } };
}

type Posted = Pick<ResponseCheck, 'message' | 'acsUrl' | 'answers' | 'thorough'>;

/** Judges a response as a sign-in would; a new key of the provider's metadata is looked for where the known ones do not fit. */
export async function checkSamlResponse(
  provider: SamlProvider,
  access: ProviderAccess,
  posted: Posted,
): Promise<ResponseVerdict> {
  const party = await findParty(provider, access);
  const check: ResponseCheck = {
    ...posted,
    party: measureOf(party),
    policy: {
      allowSha1: provider.allowSha1,
      decryptionKey: provider.decryptionKey,
      requireEncryptedAssertions: provider.requireEncryptedAssertions,
      groupAttribute: provider.groupAttribute,
      attributes: provider.attributes,
    },
    entityId: entityIdOf(posted.acsUrl),
    now: access.now().getTime(),
  };
  const verdict = await access.responses.validate(check);
  if (!verdict.steps.some(({ reason }) => reason === 'signature_invalid')) return verdict;

  const newer = await refreshParty(provider, access, party);
  if (!newer) return verdict;
  return await access.responses.validate({ ...check, party: measureOf(newer) });
}

function measureOf({ entityId, certificates, nameIdFormat }: SamlParty): ResponseCheck['party'] {
  return { entityId, certificates, nameIdFormat };
}

function requireAnswers({ allowIdpInitiated }: SamlProvider, login: StartedLogin): ResponseCheck['answers'] {
  const { requestId } = login.secrets;
  if (requestId) return { requestId };
  if (!allowIdpInitiated) throw new LoginRefused('response_unsolicited');
  return 'nothing';
}

function refuse(steps: ResponseVerdict['steps']): Identity {
  const { reason, detail } = steps.find(({ status }) => status === 'fail') ?? {};
  throw new LoginRefused(reason ?? 'message_invalid', detail);
}
