import type { OAuth2Provider, OidcProvider } from '#src/sso/providers/provider.ts';

interface Client {
  clientId: string;
  clientSecret?: string | undefined;
  tokenEndpointAuth: (OidcProvider | OAuth2Provider)['tokenEndpointAuth'];
}

/**
 * Adds client ID and secret to a token request, in the header or in the body and never in both (RFC 6749,
 * section 2.3.1). Without a secret the client only names itself.
 */
export function authenticateClient(client: Client, body: URLSearchParams, headers: Headers): void {
  const { clientId, clientSecret, tokenEndpointAuth } = client;
  if (clientSecret === undefined || tokenEndpointAuth === 'client_secret_post') {
    body.set('client_id', clientId);
    if (clientSecret !== undefined) body.set('client_secret', clientSecret);
    return;
  }
  const credentials = `${encodeForm(clientId)}:${encodeForm(clientSecret)}`;
  headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
}

/** Form encoding leaves `-`, `.`, `_` and `*` alone, so that servers which do not decode still understand usual ids. */
const encodeForm = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
