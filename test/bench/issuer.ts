import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { announce } from '#test/bench/announce.ts';
import { CLIENT_ID, type IssuerRequests, subjectOf } from '#test/bench/issuer-terms.ts';

/**
 * An OpenID provider that costs as little as one can: ID tokens are signed when a browser comes to sign in, which is
 * not timed, and only handed out at the token endpoint. Whoever comes is the next of so many people. Argument: their
 * number.
 */
const people = Number(process.argv[2]);
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const KEYS = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' }] };
const HEADER = encode({ alg: 'RS256', kid: 'bench' });

/** Answers of the token endpoint by authorization code; each is given once. */
const waiting = new Map<string, string>();
const requests: IssuerRequests = { discovery: 0, keys: 0, token: 0, userInfo: 0 };
let arrivals = 0;

const server = createServer((request, response) => void answer(request, response));
// Connections must outlive the time in which the next logins are started.
server.keepAliveTimeout = 300_000;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', headers } = request;
  const issuer = `http://${headers.host}`;
  if (url === '/token') {
    requests.token += 1;
    const code = new URLSearchParams(await text(request)).get('code') ?? '';
    const tokens = waiting.get(code);
    waiting.delete(code);
    send(response, tokens === undefined ? 400 : 200, tokens ?? '{"error":"invalid_grant"}');
  } else if (url === '/userinfo') {
    requests.userInfo += 1;
    const [, subject = ''] = headers.authorization?.split(' ') ?? [];
    send(
      response,
      200,
      JSON.stringify({ sub: subject, email: `${subject}@example.com`, email_verified: true }),
    );
  } else if (url === '/jwks') {
    requests.keys += 1;
    send(response, 200, JSON.stringify(KEYS));
  } else if (url === '/.well-known/openid-configuration') {
    requests.discovery += 1;
    send(response, 200, JSON.stringify(describe(issuer)));
  } else if (url === '/requests') {
    send(response, 200, JSON.stringify(requests));
  } else {
    response.writeHead(303, { Location: authorize(new URL(url, issuer)).href, 'Content-Length': 0 }).end();
  }
}

/** Where a browser goes that has signed in. */
function authorize({ origin, searchParams }: URL): URL {
  arrivals += 1;
  const subject = subjectOf(arrivals % people);
  const code = randomUUID();
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: origin, sub: subject, aud: CLIENT_ID, iat: now, exp: now + 600 };
  const signed = `${HEADER}.${encode({ ...claims, nonce: searchParams.get('nonce') })}`;
  const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
  waiting.set(
    code,
    JSON.stringify({
      access_token: subject,
      token_type: 'Bearer',
      expires_in: 600,
      id_token: `${signed}.${signature}`,
    }),
  );
  const callback = new URL(searchParams.get('redirect_uri') ?? '');
  callback.searchParams.set('code', code);
  callback.searchParams.set('state', searchParams.get('state') ?? '');
  return callback;
}

function describe(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
}

function send(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    .end(body);
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

announce(server);
