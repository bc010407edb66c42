import {
  authorizationCodeGrant,
  type Configuration,
  fetchUserInfo,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import type { CallbackRequest, Identity, IdentityTokens } from '#src/sso/connector.ts';
import { checkIdToken, requireSubject } from '#src/sso/connectors/check-id-token.ts';
import type { KnownIssuer } from '#src/sso/connectors/discovery-cache.ts';
import { explainFailure, type Step } from '#src/sso/connectors/explain-failure.ts';
import { readOidcIdentity } from '#src/sso/connectors/read-oidc-identity.ts';
import { withFreshKeys } from '#src/sso/connectors/with-fresh-keys.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';

/** One login, or one later question, at one provider. */
export interface OidcSession {
  provider: OidcProvider;
  access: ProviderAccess;
  known: KnownIssuer;
  signal: AbortSignal;
}

interface CodeProof {
  callback: CallbackRequest;
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Exchanges the code of a callback whose state and issuer have been checked. */
export async function redeemCode(session: OidcSession, proof: CodeProof): Promise<Identity> {
  // The library takes the redirect URI of the token request from here.
  const callback = new URL(proof.redirectUri);
  callback.search = proof.callback.url.search;

  return await redeem(session, 'token', (config) =>
    authorizationCodeGrant(config, callback, {
      expectedState: proof.state,
      expectedNonce: proof.nonce,
      pkceCodeVerifier: proof.codeVerifier,
      idTokenExpected: true,
    }),
  );
}

/** Asks again for somebody known (OpenID Connect Core 1.0, section 12.2). The subject must not have changed. */
export async function redeemRefreshToken(
  session: OidcSession,
  { refreshToken, subject }: { refreshToken: string; subject: string },
): Promise<Identity> {
  const grant = (config: Configuration) => refreshTokenGrant(config, refreshToken);
  const identity = await redeem(session, 'refresh', grant, subject);
  return { ...identity, tokens: { refreshToken, ...identity.tokens } };
}

type TokenAnswer = TokenEndpointResponse & TokenEndpointResponseHelpers;

async function redeem(
  session: OidcSession,
  step: Step,
  run: (config: Configuration) => Promise<TokenAnswer>,
  knownSubject?: string,
): Promise<Identity> {
  const { provider, access, known, signal } = session;
  const { result, config } = await withFreshKeys(provider, known, {
    step,
    access,
    signal,
    run,
  });
  if (result.token_type !== 'bearer') throw new LoginRefused('provider_answer_invalid', 'token_type');

  const claims = result.claims();
  if (claims && result.id_token !== undefined) {
    const { id_token: idToken, access_token: accessToken } = result;
    checkIdToken({ claims, idToken, accessToken, clientId: provider.clientId, now: access.now() });
  }
  const subject = requireSubject(claims?.sub ?? knownSubject);
  if (knownSubject !== undefined && subject !== knownSubject) throw new LoginRefused('subject_invalid');

  const userInfo = await askUserInfo(config, known, result.access_token, subject);
  return readOidcIdentity(provider, {
    subject,
    issuer: known.document.issuer,
    idToken: { ...claims },
    userInfo,
    tokens: readTokens(result),
  });
}

/** Refused with the user info of anybody else (OpenID Connect Core 1.0, section 5.3.2). Not every provider has any. */
async function askUserInfo(
  config: Configuration,
  { document }: KnownIssuer,
  accessToken: string,
  subject: string,
): Promise<Record<string, unknown>> {
  if (document.userinfo_endpoint === undefined) return {};
  try {
    return { ...(await fetchUserInfo(config, accessToken, subject)) };
  } catch (error) {
    throw explainFailure(error, 'userinfo');
  }
}

function readTokens(answer: TokenAnswer): IdentityTokens {
  const sid = answer.claims()?.sid;
  return {
    ...(answer.id_token !== undefined && { idToken: answer.id_token }),
    ...(answer.refresh_token !== undefined && { refreshToken: answer.refresh_token }),
    ...(typeof sid === 'string' && sid !== '' && { sid }),
  };
}
