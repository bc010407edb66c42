import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '#test/sso/support/http.ts';
import { makeKey, type SigningKey, signJwt } from '#test/sso/support/signing-key.ts';

type Json = Record<string, unknown>;
type Change = (usual: Json) => Json;
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What is wrong with the provider; everything not named here is right. */
export interface Misbehaviour {
  discovery?: Change;
  keys?: (usual: Json[]) => Json[];
  header?: Change;
  claims?: Change;
  idToken?: (usual: string) => string;
  token?: Change;
  userInfo?: Change;
  /** Takes over whole paths. */
  routes?: Record<string, Handler>;
}

export interface FakeProvider {
  issuer: string;
  key: SigningKey;
  behave: Misbehaviour;
  /** What was asked, such as `GET /jwks`. */
  requests: string[];
  /** The forms the token endpoint got, and their Authorization headers. */
  tokenRequests: { form: URLSearchParams; authorization: string | undefined; accept: string | undefined }[];
  /** Somebody signs in: the callback that their browser is sent to. */
  authorize: (redirectTo: URL) => URL;
  discovery(): Json;
  logoutToken(claims?: Json, header?: Json, key?: SigningKey): string;
  close(): Promise<void>;
}

export const CLIENT_ID = 'finance-app';
export const SUBJECT = 'ada-1815';
export const ACCESS_TOKEN = 'access-token-of-ada';

/** An OpenID provider made by hand, on a free port, that is right unless told otherwise. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const logins = new Map<string, { nonce: string | null; challenge: string | null }>();
  const server = await listenOnLoopback((request, response) => void answer(request, response));
  const issuer = `http://127.0.0.1:${server.port}`;
  const fake: FakeProvider = {
    issuer,
    key: makeKey(),
    behave: {},
    requests: [],
    discovery,
    tokenRequests: [],
    authorize: (redirectTo) => {
      const { searchParams } = redirectTo;
      const code = randomUUID();
      logins.set(code, { nonce: searchParams.get('nonce'), challenge: searchParams.get('code_challenge') });
      const callback = new URL(searchParams.get('redirect_uri') ?? '');
      callback.search = new URLSearchParams({
        code,
        state: searchParams.get('state') ?? '',
        iss: issuer,
      }).toString();
      return callback;
    },
    logoutToken: (claims = {}, header = {}, key = fake.key) =>
      signJwt(
        { alg: 'RS256', typ: 'logout+jwt', kid: key.jwk.kid, ...header },
        {
          iss: issuer,
          aud: CLIENT_ID,
          iat: seconds(),
          exp: seconds() + 120,
          jti: randomUUID(),
          sub: SUBJECT,
          events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
          ...claims,
        },
        key,
      ),
    close: () => server.close(),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', issuer);
    fake.requests.push(`${request.method} ${pathname}`);
    const takenOver = fake.behave.routes?.[pathname];
    if (takenOver) takenOver(request, response);
    else if (pathname === '/.well-known/openid-configuration') send(response, 200, discovery());
    else if (pathname === '/jwks') send(response, 200, { keys: (fake.behave.keys ?? same)([fake.key.jwk]) });
    else if (pathname === '/token') await answerToken(request, response);
    else if (pathname === '/userinfo') {
      const known = request.headers.authorization === `Bearer ${ACCESS_TOKEN}`;
      send(
        response,
        known ? 200 : 401,
        (fake.behave.userInfo ?? same)({ sub: SUBJECT, email: 'ada@example.com' }),
      );
    } else send(response, 404, {});
  }

  function discovery(): Json {
    return (fake.behave.discovery ?? same)({
      issuer,
      authorization_endpoint: `${issuer}/authorize?tenant=1`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      end_session_endpoint: `${issuer}/logout`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    });
  }

  async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const { authorization, accept } = request.headers;
    fake.tokenRequests.push({ form, authorization, accept });
    const refreshing = form.get('grant_type') === 'refresh_token';
    const login = logins.get(form.get('code') ?? '');
    logins.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!refreshing && (!login || login.challenge !== challenge))
      return send(response, 400, { error: 'invalid_grant' });
    send(response, 200, (fake.behave.token ?? same)(tokenAnswer(refreshing ? null : (login?.nonce ?? null))));
  }

  function tokenAnswer(nonce: string | null): Json {
    const header = { alg: 'RS256', kid: fake.key.jwk.kid };
    const claims = {
      iss: issuer,
      sub: SUBJECT,
      aud: CLIENT_ID,
      iat: seconds(),
      exp: seconds() + 300,
      ...(nonce !== null && { nonce }),
    };
    const idToken = signJwt(
      (fake.behave.header ?? same)(header),
      (fake.behave.claims ?? same)(claims),
      fake.key,
    );
    return {
      access_token: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: 'refresh-token-of-ada',
      id_token: (fake.behave.idToken ?? same)(idToken),
    };
  }

  return fake;
}

/** The same object without one of its fields. */
export const without =
  (...names: string[]): Change =>
  (usual) =>
    Object.fromEntries(Object.entries(usual).filter(([name]) => !names.includes(name)));

/** The same object with other values. */
export const having =
  (values: Json): Change =>
  (usual) => ({ ...usual, ...values });

export const seconds = () => Math.floor(Date.now() / 1_000);

const same = <Value>(value: Value): Value => value;

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
