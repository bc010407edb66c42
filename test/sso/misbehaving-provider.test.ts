import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOidcConnector } from '#src/sso/connectors/oidc.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import {
  ACCESS_TOKEN,
  CLIENT_ID,
  type FakeProvider,
  having,
  type Misbehaviour,
  SUBJECT,
  seconds,
  send,
  startFakeProvider,
  without,
} from '#test/sso/support/fake-provider.ts';
import { oidcProvider, REDIRECT_URI, reasonOf, signIn, useAccess } from '#test/sso/support/providers.ts';
import { makeKey, signJwt } from '#test/sso/support/signing-key.ts';

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
beforeEach(() => {
  fake.behave = {};
  fake.requests.length = 0;
  fake.tokenRequests.length = 0;
});
afterAll(() => fake.close());

const access = useAccess();
const connect = (options: Parameters<typeof access>[0] = {}) =>
  createOidcConnector(oidcProvider(fake.issuer), access(options));

const HTML = '<html><script>alert("owned")</script></html>';
const AT_HASH = createHash('sha256').update(ACCESS_TOKEN).digest().subarray(0, 16).toString('base64url');
const stranger = makeKey();

describe('a sign-in is refused with its own reason when', () => {
  const cases: [string, Misbehaviour, string][] = [
    [
      'the ID token names another issuer',
      { claims: having({ iss: 'https://evil.example' }) },
      'issuer_mismatch',
    ],
    [
      'the ID token names its issuer with a slash',
      { claims: (usual) => ({ ...usual, iss: `${String(usual.iss)}/` }) },
      'issuer_mismatch',
    ],
    ['the ID token names no issuer', { claims: without('iss') }, 'issuer_mismatch'],
    ['the ID token is for another audience', { claims: having({ aud: 'other-app' }) }, 'audience_mismatch'],
    ['the ID token names no audience', { claims: without('aud') }, 'audience_mismatch'],
    [
      'the ID token is for several and says not whom',
      { claims: having({ aud: [CLIENT_ID, 'other-app'] }) },
      'audience_mismatch',
    ],
    [
      'another application asked for the ID token',
      { claims: having({ azp: 'other-app' }) },
      'authorized_party_mismatch',
    ],
    [
      'another of several applications asked for it',
      { claims: having({ aud: [CLIENT_ID, 'other-app'], azp: 'other-app' }) },
      'authorized_party_mismatch',
    ],
    ['the nonce is another', { claims: having({ nonce: 'nonce-of-another-login' }) }, 'nonce_mismatch'],
    ['the nonce is missing', { claims: without('nonce') }, 'nonce_mismatch'],
    ['the ID token is not signed', { header: having({ alg: 'none' }) }, 'algorithm_refused'],
    [
      'the ID token is signed with the client secret',
      { header: having({ alg: 'HS256' }) },
      'algorithm_refused',
    ],
    ['the signature is of another key', { idToken: resignedBy(stranger) }, 'signature_invalid'],
    ['the key is not published', { header: having({ kid: 'nobody' }) }, 'signing_key_unknown'],
    [
      'several keys could have signed',
      { header: without('kid'), keys: (usual) => [...usual, stranger.jwk] },
      'signing_key_ambiguous',
    ],
    [
      'the keys are no keys',
      { routes: { '/jwks': (_, response) => send(response, 200, { keys: 'none' }) } },
      'keys_invalid',
    ],
    ['the ID token has expired', { claims: issuedAt(-1_800) }, 'token_expired'],
    ['the ID token is not valid yet', { claims: having({ nbf: seconds() + 600 }) }, 'token_not_yet_valid'],
    ['the ID token has no time', { claims: without('iat') }, 'claim_invalid'],
    ['the ID token has text for a time', { claims: having({ iat: 'now' }) }, 'claim_invalid'],
    ['the ID token is from 1970', { claims: having({ iat: 1 }) }, 'issued_at_implausible'],
    [
      'the ID token is from the future',
      { claims: having({ iat: seconds() + 600 }) },
      'issued_at_implausible',
    ],
    ['the ID token never expires', { claims: without('exp') }, 'claim_invalid'],
    [
      'the ID token belongs to another access token',
      { claims: having({ at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }) },
      'access_token_mismatch',
    ],
    ['there is no ID token', { token: without('id_token') }, 'id_token_missing'],
    ['the ID token is encrypted', { idToken: () => 'a.b.c.d.e' }, 'provider_answer_invalid'],
    ['the ID token is no token', { idToken: () => 'nonsense' }, 'provider_answer_invalid'],
    ['there is no access token', { token: without('access_token') }, 'provider_answer_invalid'],
    [
      'the access token is of another kind',
      { token: having({ token_type: 'mac' }) },
      'provider_answer_invalid',
    ],
    [
      'the access token is bound to a key',
      { token: having({ token_type: 'DPoP' }) },
      'provider_answer_invalid',
    ],
    ['the subject is missing', { claims: without('sub') }, 'subject_missing'],
    ['the subject is empty', { claims: having({ sub: '' }) }, 'subject_missing'],
    ['the subject is a number', { claims: having({ sub: 7 }) }, 'subject_invalid'],
    ['the subject has 5,000 characters', { claims: having({ sub: 'x'.repeat(5_000) }) }, 'subject_invalid'],
    ['the subject holds NUL', { claims: having({ sub: 'ada\0' }) }, 'subject_invalid'],
    ['any claim holds NUL', { claims: having({ address: { city: ['a\0b'] } }) }, 'provider_answer_invalid'],
    ['user info is of somebody else', { userInfo: having({ sub: 'mallory' }) }, 'userinfo_subject_mismatch'],
    ['user info is of nobody', { userInfo: without('sub') }, 'userinfo_subject_mismatch'],
    [
      'user info fails',
      { routes: { '/userinfo': (_, response) => send(response, 500, {}) } },
      'provider_failed',
    ],
    ['user info wants another token', { routes: { '/userinfo': challenge } }, 'provider_failed'],
    ['user info is a page', { routes: { '/userinfo': page } }, 'provider_not_json'],
    [
      'the token endpoint fails',
      { routes: { '/token': (_, response) => send(response, 500, {}) } },
      'provider_failed',
    ],
    ['the token endpoint answers a page', { routes: { '/token': page } }, 'provider_not_json'],
    [
      'the token endpoint answers half a document',
      {
        routes: {
          '/token': (_, response) =>
            void response.writeHead(200, { 'content-type': 'application/json' }).end('{"access'),
        },
      },
      'provider_answer_invalid',
    ],
    [
      'the token endpoint sends us elsewhere',
      {
        routes: { '/token': (_, response) => void response.writeHead(302, { location: '/userinfo' }).end() },
      },
      'provider_redirected',
    ],
    [
      'the token endpoint does not know the client',
      { routes: { '/token': refuse(401, { error: 'invalid_client' }) } },
      'client_refused',
    ],
    ['the token endpoint asks for a password', { routes: { '/token': challenge } }, 'client_refused'],
    [
      'the token endpoint does not know the code',
      { routes: { '/token': refuse(400, { error: 'invalid_grant', error_description: HTML }) } },
      'code_refused',
    ],
    [
      'the token endpoint reports something else',
      { routes: { '/token': refuse(400, { error: HTML }) } },
      'provider_error',
    ],
    [
      'an answer is huge',
      {
        routes: {
          '/userinfo': (_, response) =>
            void response
              .writeHead(200, { 'content-type': 'application/json' })
              .end(`"${'x'.repeat(1_100_000)}"`),
        },
      },
      'provider_answer_too_large',
    ],
    [
      'the connection breaks off',
      { routes: { '/token': (request) => void request.socket.destroy() } },
      'provider_unreachable',
    ],
    [
      'the answer is no HTTP',
      { routes: { '/token': (request) => void request.socket.end('SSH-2.0-OpenSSH_9.6\r\n') } },
      'provider_answer_invalid',
    ],
    [
      'the document is of another issuer',
      { discovery: having({ issuer: 'https://evil.example' }) },
      'discovery_issuer_mismatch',
    ],
    [
      'the document names its issuer with a slash',
      { discovery: (usual) => ({ ...usual, issuer: `${String(usual.issuer)}/` }) },
      'discovery_issuer_slash',
    ],
    [
      'the document is for any tenant',
      { discovery: having({ issuer: 'https://x.example/{tenantid}' }) },
      'discovery_issuer_template',
    ],
    ['the document names no issuer', { discovery: without('issuer') }, 'discovery_issuer_missing'],
    ['the document names no keys', { discovery: without('jwks_uri') }, 'discovery_invalid'],
    [
      'the document sends people to a script',
      { discovery: having({ authorization_endpoint: 'javascript:alert(1)' }) },
      'discovery_invalid',
    ],
    [
      'the document names an address with a password',
      { discovery: having({ token_endpoint: 'https://user:word@idp.example/token' }) },
      'discovery_invalid',
    ],
    [
      'the document is a page',
      { routes: { '/.well-known/openid-configuration': page } },
      'provider_not_json',
    ],
    [
      'the document is elsewhere',
      {
        routes: {
          '/.well-known/openid-configuration': (_, response) =>
            void response.writeHead(302, { location: 'http://localhost:1/' }).end(),
        },
      },
      'provider_redirected',
    ],
    [
      'the document cannot be had',
      { routes: { '/.well-known/openid-configuration': refuse(503, {}) } },
      'provider_failed',
    ],
  ];

  test.each(cases)('%s', async (_name, behave, reason) => {
    fake.behave = behave;

    expect(await reasonOf(signIn(connect(), fake.authorize))).toBe(reason);
  });
});

const edit = (change: (query: URLSearchParams) => void) => (redirectTo: URL) => {
  const callback = fake.authorize(redirectTo);
  change(callback.searchParams);
  fake.requests.length = 0;
  return callback;
};

describe('a callback is refused before anything is asked when', () => {
  test.each<[string, (query: URLSearchParams) => void, string]>([
    ['the state is missing', (query) => query.delete('state'), 'state_mismatch'],
    ['the state is another', (query) => query.set('state', 'state-of-another-login'), 'state_mismatch'],
    ['the state comes twice', (query) => query.append('state', 'more'), 'callback_invalid'],
    ['the code comes twice', (query) => query.append('code', 'more'), 'callback_invalid'],
    ['the code is missing', (query) => query.delete('code'), 'callback_invalid'],
    ['the code is empty', (query) => query.set('code', ''), 'callback_invalid'],
    ['an ID token comes along', (query) => query.set('id_token', 'x'), 'callback_invalid'],
    ['another issuer answers', (query) => query.set('iss', 'https://evil.example'), 'issuer_mismatch'],
    ['the person said no', (query) => query.set('error', 'access_denied'), 'access_denied'],
    [
      'the person is not signed in there',
      (query) => query.set('error', 'login_required'),
      'interaction_required',
    ],
    ['the provider reports an error', (query) => query.set('error', 'server_error'), 'provider_error'],
    ['the error is a name of every object', (query) => query.set('error', 'constructor'), 'provider_error'],
  ])('%s', async (_name, change, reason) => {
    expect(await reasonOf(signIn(connect(), edit(change)))).toBe(reason);
    expect(fake.requests).toEqual([]);
  });

  test('what was remembered of the login is incomplete', async () => {
    const connector = connect();
    const login = { state: 'state-of-this-login', redirectUri: REDIRECT_URI };
    const { redirectTo, secrets } = await connector.startLogin(login);
    const url = fake.authorize(redirectTo);
    fake.requests.length = 0;

    for (const name of Object.keys(secrets)) {
      const damaged = { ...login, secrets: { ...secrets, [name]: '' } };
      expect(await reasonOf(connector.handleCallback({ url }, damaged))).toBe('login_incomplete');
    }
    expect(await reasonOf(connector.handleCallback({ url }, { ...login, state: '', secrets }))).toBe(
      'state_mismatch',
    );
    expect(fake.requests).toEqual([]);
  });

  test('a provider that announces to name itself does not', async () => {
    fake.behave = { discovery: having({ authorization_response_iss_parameter_supported: true }) };

    const reason = await reasonOf(
      signIn(
        connect(),
        edit((query) => query.delete('iss')),
      ),
    );

    expect(reason).toBe('issuer_mismatch');
    expect(fake.requests).toEqual([]);
  });
});

test('nothing that the provider wrote is in a refusal', async () => {
  fake.behave = {
    claims: having({ nonce: 'SECRET' }),
    routes: { '/userinfo': refuse(400, { error: HTML, error_description: HTML }) },
  };
  const connector = connect();
  const spoken: unknown[] = [];
  const withError = (redirectTo: URL) => {
    const callback = fake.authorize(redirectTo);
    callback.searchParams.set('error', HTML);
    callback.searchParams.set('error_description', HTML);
    return callback;
  };
  for (const authorize of [fake.authorize, withError]) {
    await signIn(connector, authorize).catch((error: unknown) => spoken.push(error));
  }

  expect(spoken).toHaveLength(2);
  for (const error of spoken) {
    expect(error).toBeInstanceOf(LoginRefused);
    const everything = JSON.stringify(
      Object.getOwnPropertyNames(error).map((name) => (error as never)[name]),
    );
    expect(everything).not.toMatch(/SECRET|script|eyJ/);
    expect((error as Error).cause).toBeUndefined();
  }
});

describe('a sign-in works although', () => {
  const unusable = [
    { kty: 'XYZ', kid: 'a' },
    { kty: 'EC', crv: 'P-999', kid: 'b' },
    { kty: 'RSA', alg: 'RS1', kid: 'c' },
    { kty: 'oct', k: 'AAAA' },
  ];

  test.each<[string, Misbehaviour]>([
    ['nothing is unusual', {}],
    ['the audience is a list of one', { claims: having({ aud: [CLIENT_ID] }) }],
    [
      'there are several audiences and it is for us',
      { claims: having({ aud: [CLIENT_ID, 'other'], azp: CLIENT_ID }) },
    ],
    ['the token type is in small letters', { token: having({ token_type: 'bearer' }) }],
    ['the token type is in capitals', { token: having({ token_type: 'BEARER' }) }],
    ['no life time is given', { token: without('expires_in') }],
    ['the single key has no name', { header: without('kid'), keys: ([key]) => [without('kid')(key ?? {})] }],
    ['there are keys that nobody can use', { keys: (usual) => [...unusable, ...usual] }],
    ['the ID token was dated back by five minutes', { claims: issuedAt(-295) }],
    ['our clock is half a minute slow', { claims: having({ iat: seconds() + 30, nbf: seconds() + 30 }) }],
    ['it has expired half a minute ago', { claims: having({ exp: seconds() - 30 }) }],
    ['the hash of the access token comes along', { claims: having({ at_hash: AT_HASH }) }],
    ['there is no user info', { discovery: without('userinfo_endpoint') }],
    [
      'the document is one step away on the same server',
      { routes: { '/.well-known/openid-configuration': moved, '/elsewhere': published } },
    ],
  ])('%s', async (_name, behave) => {
    fake.behave = behave;

    expect(await signIn(connect(), fake.authorize)).toMatchObject({ subject: SUBJECT, issuer: fake.issuer });
  });
});

const late =
  (body: () => unknown): NonNullable<Misbehaviour['routes']>[string] =>
  (_, response) =>
    void setTimeout(() => send(response, 200, body()), 150);

describe('time', () => {
  test.each(['/.well-known/openid-configuration', '/token', '/userinfo', '/jwks'])(
    'an endpoint that never answers costs one call its time: %s',
    async (path) => {
      fake.behave = { routes: { [path]: () => {} } };
      const started = performance.now();

      expect(await reasonOf(signIn(connect({ callTimeout: 150 }), fake.authorize))).toBe('provider_timeout');
      expect(performance.now() - started).toBeLessThan(1_000);
    },
  );

  test('an endpoint that answers drop by drop costs no more', async () => {
    fake.behave = {
      routes: {
        '/token': (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const drip = setInterval(() => response.write(' '), 20);
          response.on('close', () => clearInterval(drip));
        },
      },
    };

    expect(await reasonOf(signIn(connect({ callTimeout: 150 }), fake.authorize))).toBe('provider_timeout');
  });

  test('a login has one time for all its calls', async () => {
    fake.behave = {
      routes: {
        '/userinfo': late(() => ({ sub: SUBJECT })),
        '/jwks': late(() => ({ keys: [fake.key.jwk] })),
      },
    };
    const inTime = await reasonOf(signIn(connect({ loginTimeout: 5_000 }), fake.authorize));

    expect(inTime).toBe('accepted');
    expect(await reasonOf(signIn(connect({ loginTimeout: 200 }), fake.authorize))).toBe('provider_timeout');
  });
});

/** Issued some seconds from now, and good for five minutes. */
function issuedAt(offset: number): NonNullable<Misbehaviour['claims']> {
  return (usual) => ({ ...usual, iat: seconds() + offset, exp: seconds() + offset + 300 });
}

function resignedBy(key: typeof stranger) {
  return (token: string) => {
    const [header, claims] = token.split('.').map((part) => {
      try {
        return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
      } catch {
        return {};
      }
    });
    return signJwt(header ?? {}, claims ?? {}, key);
  };
}

function page(_request: unknown, response: Parameters<typeof send>[0]): void {
  response.writeHead(200, { 'content-type': 'text/html' }).end(HTML);
}

function challenge(_request: unknown, response: Parameters<typeof send>[0]): void {
  response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
}

function refuse(status: number, body: unknown) {
  return (_request: unknown, response: Parameters<typeof send>[0]) => send(response, status, body);
}

function moved(_request: unknown, response: Parameters<typeof send>[0]): void {
  response.writeHead(302, { location: '/elsewhere' }).end();
}

/** The document of the fake provider, at another place. */
function published(_request: unknown, response: Parameters<typeof send>[0]): void {
  send(response, 200, fake.discovery());
}
