import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface IssuerServer {
  /** Without a slash at the end. */
  url: string;
  /** Paths that were asked for. */
  requests: string[];
  close: () => Promise<void>;
}

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** Publishes a discovery document on loopback, its fields changed by `document`. */
export async function startIssuer(
  document: (url: string) => Record<string, unknown> = () => ({}),
): Promise<IssuerServer> {
  const requests: string[] = [];
  const server = createServer(({ url: path = '' }, response) => {
    requests.push(path);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(path === '/jwks' ? KEYS : { ...publish(url), ...document(url) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const KEYS = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig', alg: 'RS256' }] };

function publish(url: string): Record<string, unknown> {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/userinfo`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  };
}
