import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client';
import type { Connector } from '#src/sso/connector.ts';
import { withDeadline } from '#src/sso/connectors/deadline.ts';
import { readCallback, requireSecret } from '#src/sso/connectors/read-callback.ts';
import { readOAuth2Identity } from '#src/sso/connectors/read-oauth2-identity.ts';
import { redeemOAuth2Code } from '#src/sso/connectors/redeem-oauth2-code.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { OAuth2Provider } from '#src/sso/providers/provider.ts';

/** OAuth 2.0 by authorization code (RFC 6749) with PKCE and state, at addresses that the provider's settings name. */
export function createOAuth2Connector(provider: OAuth2Provider, access: ProviderAccess): Connector {
  return {
    startLogin: async ({ state, redirectUri }) => {
      // An ID token would come along, from an issuer nobody configured, and nobody would check it.
      if (provider.scopes.includes('openid')) throw new LoginRefused('provider_misconfigured', 'openid');
      const codeVerifier = randomPKCECodeVerifier();
      const redirectTo = new URL(provider.authorizationUrl);
      const parameters = {
        response_type: 'code',
        client_id: provider.clientId,
        redirect_uri: new URL(redirectUri).href,
        ...(provider.scopes.length > 0 && { scope: provider.scopes.join(' ') }),
        state,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) redirectTo.searchParams.set(name, value);
      return { redirectTo, secrets: { codeVerifier } };
    },

    handleCallback: async (callback, login) => {
      const code = readCallback(callback, login);
      const codeVerifier = requireSecret(login, 'codeVerifier');
      return await withDeadline(access.loginTimeout, async (signal) => {
        const session = { provider, outbound: access.outbound, signal };
        const accessToken = await redeemOAuth2Code(session, {
          code,
          codeVerifier,
          redirectUri: login.redirectUri,
        });
        return await readOAuth2Identity(session, accessToken);
      });
    },
  };
}
