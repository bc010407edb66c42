import type {
  BackchannelConnector,
  Connector,
  LogoutConnector,
  RefreshingConnector,
} from '#src/sso/connector.ts';
import { authorizeOidc } from '#src/sso/connectors/authorize-oidc.ts';
import { buildLogoutUrl } from '#src/sso/connectors/build-logout-url.ts';
import { withDeadline } from '#src/sso/connectors/deadline.ts';
import { readCallback, requireSecret } from '#src/sso/connectors/read-callback.ts';
import { type OidcSession, redeemCode, redeemRefreshToken } from '#src/sso/connectors/redeem-oidc.ts';
import { verifyLogoutToken } from '#src/sso/connectors/verify-logout-token.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';

export interface OidcConnector
  extends Connector,
    RefreshingConnector,
    LogoutConnector,
    BackchannelConnector {}

/** OpenID Connect Core 1.0 by authorization code, with PKCE (RFC 7636), state, nonce and `iss` (RFC 9207). */
export function createOidcConnector(provider: OidcProvider, access: ProviderAccess): OidcConnector {
  const withIssuer = <Result>(task: (session: OidcSession) => Promise<Result>) =>
    withDeadline(access.loginTimeout, async (signal) => {
      const known = await access.discoveries.find(provider.issuer);
      return await task({ provider, access, known, signal });
    });

  return {
    startLogin: (login) => withIssuer(({ known }) => authorizeOidc(provider, known, login)),

    handleCallback: async (callback, login) => {
      readCallback(callback, login);
      const proof = {
        callback,
        redirectUri: login.redirectUri,
        state: login.state,
        nonce: requireSecret(login, 'nonce'),
        codeVerifier: requireSecret(login, 'codeVerifier'),
      };
      return await withIssuer((session) => {
        requireIssuerParameter(callback.url, session);
        return redeemCode(session, proof);
      });
    },

    refresh: (grant) => withIssuer((session) => redeemRefreshToken(session, grant)),

    offersLogout: async () => {
      const offered = withIssuer(async ({ known }) => known.document.end_session_endpoint !== undefined);
      return (await orSilence(offered)) ?? false;
    },

    endSession: async (request) => {
      const url = withIssuer(async ({ known }) => buildLogoutUrl(provider, known, request));
      const redirectTo = await orSilence(url);
      return redirectTo && { redirectTo };
    },

    verifyLogoutToken: (token) => withIssuer((session) => verifyLogoutToken(session, token)),
  };
}

/** Whoever leaves is not told why the provider does not answer. */
async function orSilence<Result>(answer: Promise<Result>): Promise<Result | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof LoginRefused) return undefined;
    throw error;
  }
}

/** RFC 9207, section 2.4: compared when present, and demanded of providers that announce it. */
function requireIssuerParameter(url: URL, { known, provider }: OidcSession): void {
  const [issuer] = url.searchParams.getAll('iss');
  const announced = known.document.authorization_response_iss_parameter_supported === true;
  if (issuer === undefined ? announced : issuer !== provider.issuer)
    throw new LoginRefused('issuer_mismatch');
}
