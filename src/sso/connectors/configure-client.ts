import {
  allowInsecureRequests,
  Configuration,
  type CustomFetch,
  clockTolerance,
  customFetch,
  enableNonRepudiationChecks,
  setJwksCache,
} from 'openid-client';
import { authenticateClient } from '#src/sso/connectors/client-authentication.ts';
import type { KnownIssuer } from '#src/sso/connectors/discovery-cache.ts';
import { CLOCK_TOLERANCE } from '#src/sso/connectors/signature-algorithms.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';

interface Wiring {
  fetch: CustomFetch;
  keys: KnownIssuer['keys'];
}

/** openid-client for one login; it keeps keys for as long as a configuration lives, so each login has its own. */
export function configureClient(
  provider: OidcProvider,
  { document }: KnownIssuer,
  { fetch, keys }: Wiring,
): Configuration {
  const metadata = { [clockTolerance]: CLOCK_TOLERANCE };
  const config = new Configuration(document, provider.clientId, metadata, (_server, _client, body, headers) =>
    authenticateClient(provider, body, headers),
  );
  config[customFetch] = fetch;
  // Time is kept by the way out, for each call and for the whole login.
  config.timeout = 0;
  enableNonRepudiationChecks(config);
  if (provider.issuer.startsWith('http:')) allowInsecureRequests(config);
  if (keys) setJwksCache(config, keys);
  return config;
}
