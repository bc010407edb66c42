import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOAuth2Connector } from '#src/sso/connectors/oauth2.ts';
import type { OAuth2Provider } from '#src/sso/providers/provider.ts';
import {
  ACCESS_TOKEN,
  type FakeProvider,
  having,
  send,
  startFakeProvider,
  without,
} from '#test/sso/support/fake-provider.ts';
import { oauth2Provider, REDIRECT_URI, reasonOf, signIn, useAccess } from '#test/sso/support/providers.ts';

type Handler = NonNullable<FakeProvider['behave']['routes']>[string];

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
beforeEach(() => {
  fake.behave = { userInfo: () => ADA };
  fake.requests.length = 0;
  fake.tokenRequests.length = 0;
});
afterAll(() => fake.close());

const ADA = {
  id: 42,
  login: 'ada',
  email: 'ada@example.com',
  name: 'Ada King Lovelace',
  teams: [{ slug: 'engines' }],
};

const access = useAccess();
const connect = (changes: Partial<OAuth2Provider> = {}) =>
  createOAuth2Connector(oauth2Provider(fake.issuer, changes), access());
const answering =
  (body: string, contentType = 'application/json', status = 200): Handler =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': contentType }).end(body);

describe('the way to the provider', () => {
  test('asks for a code, with state and PKCE, and keeps the query of the configured address', async () => {
    const authorizationUrl = `${fake.issuer}/authorize?tenant=1&state=fixed`;

    const { redirectTo, secrets } = await connect({ authorizationUrl }).startLogin({
      state: 'a state',
      redirectUri: REDIRECT_URI,
    });

    expect(Object.fromEntries(redirectTo.searchParams)).toEqual({
      tenant: '1',
      response_type: 'code',
      client_id: 'finance-app',
      redirect_uri: REDIRECT_URI,
      scope: 'read:user',
      state: 'a state',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(Object.keys(secrets)).toEqual(['codeVerifier']);
  });

  test('is refused with the scope openid, whose ID token nobody would check', async () => {
    const connector = connect({ scopes: ['openid'] });

    expect(await reasonOf(connector.startLogin({ state: 's', redirectUri: REDIRECT_URI }))).toBe(
      'provider_misconfigured',
    );
  });
});

describe('who signed in', () => {
  test('is read along the configured paths', async () => {
    const identity = await signIn(
      connect({
        attributes: { subject: 'id', email: 'email', name: 'name' },
        groupAttribute: 'teams.0.slug',
      }),
      fake.authorize,
    );

    expect(identity).toEqual({
      subject: '42',
      issuer: null,
      email: 'ada@example.com',
      emailVerified: null,
      firstName: 'Ada',
      lastName: 'King Lovelace',
      groups: ['engines'],
      attributes: ADA,
    });
    expect(fake.requests).toEqual(['POST /token', 'GET /userinfo']);
  });

  test('keeps an id of 64 bits to the last digit', async () => {
    fake.behave = { routes: { '/userinfo': answering('{"data":[{"id":12345678901234567890}]}') } };

    const identity = await signIn(
      connect({ attributes: { subject: 'data.0.id', email: 'email' } }),
      fake.authorize,
    );

    expect(identity.subject).toBe('12345678901234567890');
  });

  test.each<[string, unknown, boolean | null]>([
    ['true', true, true],
    ['text', 'true', null],
    ['false', false, false],
    ['a number', 1, false],
    ['nothing', undefined, null],
  ])('has a verified email when the mapped attribute says so: %s', async (_name, verified, wanted) => {
    fake.behave = { userInfo: () => ({ ...ADA, mail: { ok: verified } }) };
    const attributes = { subject: 'id', email: 'email', emailVerified: 'mail.ok' };

    expect(await signIn(connect({ attributes }), fake.authorize)).toMatchObject({ emailVerified: wanted });
  });

  test.each<[string, unknown, { email: string | null; emailVerified: boolean | null }]>([
    [
      'the primary one',
      [
        { email: 'old@x.example', verified: true, primary: false },
        { email: 'new@x.example', verified: true, primary: true },
      ],
      { email: 'new@x.example', emailVerified: true },
    ],
    [
      'the primary one though it is not verified',
      [
        { email: 'old@x.example', verified: true, primary: false },
        { email: 'new@x.example', verified: false, primary: true },
      ],
      { email: 'new@x.example', emailVerified: false },
    ],
    [
      'the first verified one',
      [
        { email: 'a@x.example', verified: false },
        { email: 'b@x.example', verified: true },
      ],
      { email: 'b@x.example', emailVerified: true },
    ],
    [
      'the other words for it',
      { values: [{ email: 'c@x.example', is_primary: true, is_confirmed: true }] },
      { email: 'c@x.example', emailVerified: true },
    ],
    ['none', [], { email: null, emailVerified: null }],
    ['nonsense', [null, 'x', { email: 7, primary: true }], { email: null, emailVerified: null }],
    ['something else', { message: 'no' }, { email: null, emailVerified: null }],
  ])('has the email of the list, whatever the profile shows: %s', async (_name, emails, wanted) => {
    fake.behave = {
      userInfo: () => ADA,
      routes: { '/emails': (_, response) => send(response, 200, emails) },
    };

    expect(await signIn(connect({ emailsUrl: `${fake.issuer}/emails` }), fake.authorize)).toMatchObject(
      wanted,
    );
  });
});

describe('a loose token answer is understood', () => {
  test.each<[string, FakeProvider['behave']]>([
    ['type in capitals', { token: having({ token_type: 'BEARER' }) }],
    ['no type', { token: without('token_type') }],
    ['no life time', { token: without('expires_in') }],
    [
      'form-encoded',
      {
        routes: {
          '/token': answering(
            `access_token=${ACCESS_TOKEN}&token_type=bearer&scope=`,
            'application/x-www-form-urlencoded; charset=utf-8',
          ),
        },
      },
    ],
    [
      'JSON that calls itself text',
      { routes: { '/token': answering(`{"access_token":"${ACCESS_TOKEN}"}`, 'text/plain') } },
    ],
  ])('%s', async (_name, behave) => {
    fake.behave = { userInfo: () => ADA, ...behave };

    expect(await signIn(connect(), fake.authorize)).toMatchObject({ subject: '42' });
  });
});

describe('a sign-in is refused when', () => {
  const page = answering('<html></html>', 'text/html');

  test.each<[string, FakeProvider['behave'], string]>([
    [
      'GitHub does not know the code, with status 200',
      { routes: { '/token': answering('{"error":"bad_verification_code"}') } },
      'code_refused',
    ],
    [
      'GitHub does not know the client',
      { routes: { '/token': answering('{"error":"incorrect_client_credentials"}') } },
      'client_refused',
    ],
    [
      'the code is used up',
      { routes: { '/token': answering('{"error":"invalid_grant"}', 'application/json', 400) } },
      'code_refused',
    ],
    [
      'the secret is wrong',
      { routes: { '/token': answering('{"error":"invalid_client"}', 'application/json', 401) } },
      'client_refused',
    ],
    [
      'the error is a form',
      { routes: { '/token': answering('error=invalid_client', 'application/x-www-form-urlencoded', 400) } },
      'client_refused',
    ],
    [
      'another error comes',
      { routes: { '/token': answering('{"error":{"text":"<b>"}}', 'application/json', 400) } },
      'provider_error',
    ],
    [
      'the token endpoint fails',
      { routes: { '/token': answering('', 'text/plain', 500) } },
      'provider_failed',
    ],
    ['the token endpoint answers a page', { routes: { '/token': page } }, 'provider_not_json'],
    ['there is no token', { token: without('access_token') }, 'provider_answer_invalid'],
    [
      'the token would break a header',
      { token: having({ access_token: 'a\r\nb: c' }) },
      'provider_answer_invalid',
    ],
    ['the token is of another kind', { token: having({ token_type: 'mac' }) }, 'provider_answer_invalid'],
    ['user info is a page', { routes: { '/userinfo': page } }, 'provider_not_json'],
    ['user info is a list', { routes: { '/userinfo': answering('[]') } }, 'provider_answer_invalid'],
    [
      'user info refuses',
      { routes: { '/userinfo': answering('{}', 'application/json', 403) } },
      'provider_failed',
    ],
    [
      'user info sends us elsewhere',
      { routes: { '/userinfo': (_, response) => void response.writeHead(302, { location: '/' }).end() } },
      'provider_redirected',
    ],
    ['there is no id', { userInfo: without('id') }, 'subject_missing'],
    ['the id is null', { userInfo: () => ({ id: null }) }, 'subject_missing'],
    ['the id is empty', { userInfo: () => ({ id: '' }) }, 'subject_missing'],
    ['the id is no id', { userInfo: () => ({ id: { n: 1 } }) }, 'subject_invalid'],
    ['the id is a fraction', { userInfo: () => ({ id: 1.5 }) }, 'subject_invalid'],
    ['the id is endless', { userInfo: () => ({ id: 'x'.repeat(256) }) }, 'subject_invalid'],
    ['an attribute holds NUL', { userInfo: () => ({ id: 1, bio: 'a\0' }) }, 'provider_answer_invalid'],
  ])('%s', async (_name, behave, reason) => {
    fake.behave = { userInfo: (usual) => ({ ...usual, id: 1 }), ...behave };
    if (behave.userInfo === undefined && behave.routes?.['/userinfo'] === undefined)
      fake.behave.userInfo = () => ADA;

    expect(await reasonOf(signIn(connect(), fake.authorize))).toBe(reason);
  });

  test.each<[string, (query: URLSearchParams) => void, string]>([
    ['the state is another', (query) => query.set('state', 'x'), 'state_mismatch'],
    ['the state is missing', (query) => query.delete('state'), 'state_mismatch'],
    ['the code comes twice', (query) => query.append('code', 'x'), 'callback_invalid'],
    ['the person said no', (query) => query.set('error', 'access_denied'), 'access_denied'],
  ])('before anything is asked, %s', async (_name, change, reason) => {
    const authorize = (redirectTo: URL) => {
      const callback = fake.authorize(redirectTo);
      change(callback.searchParams);
      return callback;
    };

    expect(await reasonOf(signIn(connect(), authorize))).toBe(reason);
    expect(fake.requests).toEqual([]);
  });

  test('the verifier of this sign-in is lost', async () => {
    const connector = connect();
    const login = { state: 's', redirectUri: REDIRECT_URI };
    const { redirectTo } = await connector.startLogin(login);

    const callback = connector.handleCallback({ url: fake.authorize(redirectTo) }, { ...login, secrets: {} });

    expect(await reasonOf(callback)).toBe('login_incomplete');
  });
});

describe('the token request', () => {
  test('names the client in the body by default, and asks for JSON', async () => {
    await signIn(connect(), fake.authorize);

    const [request] = fake.tokenRequests;
    expect(request?.accept).toBe('application/json');
    expect(request?.authorization).toBeUndefined();
    expect(Object.fromEntries(request?.form ?? [])).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      code_verifier: expect.any(String),
      redirect_uri: REDIRECT_URI,
      client_id: 'finance-app',
      client_secret: 'the client secret',
    });
  });

  test('names the client in the header where that is configured, and not in the body too', async () => {
    await signIn(connect({ tokenEndpointAuth: 'client_secret_basic' }), fake.authorize);

    const [request] = fake.tokenRequests;
    const wanted = Buffer.from('finance-app:the+client+secret').toString('base64');
    expect(request?.authorization).toBe(`Basic ${wanted}`);
    expect(request?.form.has('client_id')).toBe(false);
    expect(request?.form.has('client_secret')).toBe(false);
  });
});

describe('oauth2-mock-server', () => {
  const server = new OAuth2Server();
  beforeAll(async () => {
    await server.issuer.keys.generate('RS256');
    await server.start(0, '127.0.0.1');
  });
  afterAll(() => server.stop());

  test('signs somebody in', async () => {
    const base = `http://127.0.0.1:${server.address().port}`;
    server.service.once('beforeUserinfo', (answer: { body: unknown }) => {
      answer.body = { id: 7, email: 'ada@example.com' };
    });
    const connector = createOAuth2Connector(oauth2Provider(base), access());

    const identity = await signIn(connector, async (redirectTo) => {
      const { headers } = await fetch(redirectTo, { redirect: 'manual' });
      return new URL(headers.get('location') ?? '');
    });

    expect(identity).toMatchObject({ subject: '7', email: 'ada@example.com' });
  });
});
