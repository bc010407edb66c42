import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  Configuration,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client';
import type { LoginSecrets } from '#src/sso/connector.ts';
import type { KnownIssuer } from '#src/sso/connectors/discovery-cache.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';

/** Where to send the browser, and what to remember until it comes back. */
export async function authorizeOidc(
  provider: OidcProvider,
  { document }: KnownIssuer,
  login: { state: string; redirectUri: string },
): Promise<{ redirectTo: URL; secrets: LoginSecrets }> {
  const nonce = randomNonce();
  const codeVerifier = randomPKCECodeVerifier();
  const config = new Configuration(document, provider.clientId);
  if (provider.issuer.startsWith('http:')) allowInsecureRequests(config);

  const redirectTo = buildAuthorizationUrl(config, {
    redirect_uri: new URL(login.redirectUri).href,
    scope: [...new Set(['openid', ...provider.scopes])].join(' '),
    state: login.state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...(document.claims_parameter_supported !== false && requestGroups(provider)),
  });
  return { redirectTo, secrets: { nonce, codeVerifier } };
}

/** OpenID Connect Core 1.0, section 5.5: asks for groups by name, since no scope stands for them. */
function requestGroups({ roleMapping, groupAttribute }: OidcProvider): { claims: string } | undefined {
  if (roleMapping.mappings.length + roleMapping.conditions.length === 0) return undefined;
  const wanted = { [claimOf(groupAttribute ?? 'groups')]: null };
  return { claims: JSON.stringify({ id_token: wanted, userinfo: wanted }) };
}

/** Of a path such as `realm_access.roles` the claim; a name like `https://example.com/groups` is one claim. */
function claimOf(attribute: string): string {
  const [first = attribute] = attribute.split('.');
  return attribute.includes('/') || attribute.includes(':') ? attribute : first;
}
