import { allowInsecureRequests, buildEndSessionUrl, Configuration } from 'openid-client';
import type { EndSessionRequest } from '#src/sso/connector.ts';
import type { KnownIssuer } from '#src/sso/connectors/discovery-cache.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';

/** Servers refuse longer addresses; the client ID then has to do as a hint. */
const LONGEST_HINT = 4_000;

/** OpenID Connect RP-Initiated Logout 1.0, section 2. */
export function buildLogoutUrl(
  provider: OidcProvider,
  { document }: KnownIssuer,
  { idToken, postLogoutRedirectUri, state }: EndSessionRequest,
): URL | undefined {
  if (document.end_session_endpoint === undefined) return undefined;
  const config = new Configuration(document, provider.clientId);
  if (provider.issuer.startsWith('http:')) allowInsecureRequests(config);
  return buildEndSessionUrl(config, {
    ...(idToken !== undefined && idToken.length <= LONGEST_HINT && { id_token_hint: idToken }),
    client_id: provider.clientId,
    post_logout_redirect_uri: postLogoutRedirectUri,
    state,
  });
}
