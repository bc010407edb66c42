import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createOidcConnector } from '#src/sso/connectors/oidc.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';
import {
  type FakeProvider,
  having,
  SUBJECT,
  send,
  startFakeProvider,
  without,
} from '#test/sso/support/fake-provider.ts';
import { oidcProvider, REDIRECT_URI, reasonOf, signIn, useAccess } from '#test/sso/support/providers.ts';
import { makeKey } from '#test/sso/support/signing-key.ts';

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
const connect = (changes: Partial<OidcProvider> = {}, options: Parameters<typeof access>[0] = {}) =>
  createOidcConnector(oidcProvider(fake.issuer, changes), access(options));

const start = (changes: Partial<OidcProvider> = {}) =>
  connect(changes).startLogin({ state: 'a state', redirectUri: REDIRECT_URI });

describe('the way to the provider', () => {
  test('asks for a code, with state, nonce and PKCE, at the address the provider published', async () => {
    const { redirectTo, secrets } = await start();

    expect(redirectTo.href.split('?')[0]).toBe(`${fake.issuer}/authorize`);
    expect(Object.fromEntries(redirectTo.searchParams)).toEqual({
      tenant: '1',
      client_id: 'finance-app',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid profile email',
      state: 'a state',
      nonce: secrets.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(redirectTo.href).not.toContain(secrets.codeVerifier);
  });

  test('is another for every sign-in', async () => {
    const [one, other] = [await start(), await start()];

    expect(one.secrets.nonce).not.toBe(other.secrets.nonce);
    expect(one.secrets.codeVerifier).not.toBe(other.secrets.codeVerifier);
  });

  test('always asks for openid', async () => {
    const { redirectTo } = await start({ scopes: ['email'] });

    expect(redirectTo.searchParams.get('scope')).toBe('openid email');
  });

  test.each([
    [undefined, 'groups'],
    ['department', 'department'],
    ['realm_access.roles', 'realm_access'],
    ['https://example.com/groups', 'https://example.com/groups'],
  ])('asks for the groups in %s when roles depend on them', async (groupAttribute, claim) => {
    const roleMapping = {
      mappings: [{ group: 'a', role: 'admin' as const }],
      conditions: [],
      hierarchy: {},
      customMappings: {},
    };

    const { redirectTo } = await start({ roleMapping, groupAttribute });

    const wanted = { [claim]: null };
    expect(JSON.parse(redirectTo.searchParams.get('claims') ?? '')).toEqual({
      id_token: wanted,
      userinfo: wanted,
    });
  });
});

describe('who signed in', () => {
  test('comes from the ID token and from user info, with the tokens for later', async () => {
    fake.behave = {
      claims: having({ groups: ['staff'], sid: 'session-1', given_name: 'Ada' }),
      userInfo: having({
        email_verified: true,
        groups: 'board',
        family_name: 'Lovelace',
        given_name: 'A.',
        dept: { name: 'Engines' },
      }),
    };

    expect(await signIn(connect(), fake.authorize)).toEqual({
      subject: SUBJECT,
      issuer: fake.issuer,
      email: 'ada@example.com',
      emailVerified: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
      groups: ['staff', 'board'],
      attributes: expect.objectContaining({ sub: SUBJECT, given_name: 'Ada', dept: { name: 'Engines' } }),
      tokens: {
        idToken: expect.stringMatching(/^eyJ/),
        refreshToken: 'refresh-token-of-ada',
        sid: 'session-1',
      },
    });
  });

  const email = 'ada@example.com';
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string | null, boolean | null]>([
    ['nobody says', {}, { email }, email, null],
    ['user info says yes', {}, { email, email_verified: true }, email, true],
    ['user info says no', {}, { email, email_verified: false }, email, false],
    [
      'both speak, one says no',
      { email, email_verified: true },
      { email, email_verified: false },
      email,
      false,
    ],
    [
      'both speak, the other says no',
      { email, email_verified: false },
      { email, email_verified: true },
      email,
      false,
    ],
    ['only the other knows the email', { email }, { email, email_verified: true }, email, true],
    [
      'the other speaks of another email',
      { email },
      { email: 'eve@example.com', email_verified: true },
      email,
      null,
    ],
    ['yes without an email', { email_verified: true }, {}, null, null],
    ['yes as text', { email, email_verified: 'true' }, {}, email, null],
    ['no as text', { email, email_verified: 'false' }, {}, email, false],
    ['something else', { email, email_verified: 1 }, {}, email, false],
    ['null', { email, email_verified: null }, {}, email, null],
    ['an email that is none', { email: ['a@b.example'], email_verified: true }, {}, null, null],
  ])('the email is verified as the provider says: %s', async (_name, idToken, userInfo, wanted, verified) => {
    fake.behave = { claims: having(idToken), userInfo: (usual) => ({ sub: usual.sub, ...userInfo }) };

    expect(await signIn(connect(), fake.authorize)).toMatchObject({ email: wanted, emailVerified: verified });
  });

  test('has no groups when none were sent, and an empty list when that was sent', async () => {
    const connector = connect();
    const none = await signIn(connector, fake.authorize);
    fake.behave = { claims: having({ groups: [] }) };
    const empty = await signIn(connector, fake.authorize);

    expect([none.groups, empty.groups]).toEqual([null, []]);
  });

  test('cannot become somebody else by a claim called __proto__', async () => {
    fake.behave = {
      userInfo: () => JSON.parse(`{"sub":"${SUBJECT}","__proto__":{"email":"eve@example.com"}}`),
    };

    expect(await signIn(connect(), fake.authorize)).toMatchObject({ subject: SUBJECT, email: null });
  });
});

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the client names itself', () => {
  test('in the body', async () => {
    await signIn(connect({ clientSecret: 'a+b c/ä' }), fake.authorize);

    const [request] = fake.tokenRequests;
    expect(request?.authorization).toBeUndefined();
    expect(request?.form.get('client_id')).toBe('finance-app');
    expect(request?.form.get('client_secret')).toBe('a+b c/ä');
  });

  test.each([
    ['plain-id_1.0*', 'plain-secret', 'plain-id_1.0*:plain-secret'],
    ['finance-app', 'a b:c%d+e/f&ä', 'finance-app:a+b%3Ac%25d%2Be%2Ff%26%C3%A4'],
  ])('in the header, encoded as RFC 6749 says and no further: %s', async (clientId, clientSecret, wanted) => {
    fake.behave = { claims: having({ aud: clientId }) };

    await signIn(
      connect({ clientId, clientSecret, tokenEndpointAuth: 'client_secret_basic' }),
      fake.authorize,
    );

    const [request] = fake.tokenRequests;
    expect(request?.authorization).toBe(basic(wanted));
    expect(request?.form.has('client_secret')).toBe(false);
  });

  test('without a secret by its id alone', async () => {
    const { clientSecret: _, ...open } = oidcProvider(fake.issuer);

    await signIn(createOidcConnector(open, access()), fake.authorize);

    expect(fake.tokenRequests[0]?.form.get('client_id')).toBe('finance-app');
    expect(fake.tokenRequests[0]?.form.has('client_secret')).toBe(false);
  });

  test('and comes back to the address that is configured, whatever the callback was reached by', async () => {
    await signIn(connect(), (redirectTo) => {
      const callback = fake.authorize(redirectTo);
      return new URL(`https://evil.example:8443/x${callback.search}`);
    });

    expect(fake.tokenRequests[0]?.form.get('redirect_uri')).toBe(REDIRECT_URI);
  });
});

describe('outbound requests', () => {
  const WARM = ['POST /token', 'GET /userinfo'];
  const COLD = ['GET /.well-known/openid-configuration', 'POST /token', 'GET /jwks', 'GET /userinfo'];

  test('are two per sign-in once warm: token and user info', async () => {
    const connector = connect();
    await signIn(connector, fake.authorize);
    const cold = fake.requests.splice(0);
    await signIn(connector, fake.authorize);
    await signIn(connector, fake.authorize);

    expect(cold).toEqual(COLD);
    expect(fake.requests).toEqual([...WARM, ...WARM]);
  });

  test('are shared by connectors of one process, which are made anew for each request', async () => {
    const process = access();
    for (let login = 0; login < 3; login += 1) {
      await signIn(createOidcConnector(oidcProvider(fake.issuer), process), fake.authorize);
    }

    expect(fake.requests).toEqual([...COLD, ...WARM, ...WARM]);
  });

  test('for the document and the keys are one each, however many sign in at once', async () => {
    const connector = connect();

    await Promise.all(
      Array.from({ length: 20 }, (_, number) => signIn(connector, fake.authorize, `state ${number}`)),
    );

    expect(fake.requests.filter((request) => !WARM.includes(request))).toEqual([COLD[0], 'GET /jwks']);
    expect(fake.requests.filter((request) => request === WARM[0])).toHaveLength(20);
  });

  test('for keys that failed are made again by the next sign-in', async () => {
    const connector = connect();
    fake.behave = { routes: { '/jwks': (_, response) => send(response, 503, {}) } };
    const reasons = await Promise.all(
      Array.from({ length: 3 }, (_, number) =>
        reasonOf(signIn(connector, fake.authorize, `state ${number}`)),
      ),
    );
    fake.behave = {};

    expect(reasons).toEqual(Array.from({ length: 3 }, () => 'provider_failed'));
    expect(await reasonOf(signIn(connector, fake.authorize))).toBe('accepted');
  });

  test('go over connections that are kept', async () => {
    const ports = new Set<number | undefined>();
    const connector = connect();
    fake.behave = {
      routes: {
        '/userinfo': (request, response) => {
          ports.add(request.socket.remotePort);
          send(response, 200, { sub: SUBJECT });
        },
      },
    };
    for (let login = 0; login < 3; login += 1) await signIn(connector, fake.authorize);

    expect(ports.size).toBe(1);
  });

  test('ask for the document again after a quarter of an hour', async () => {
    let now = Date.now();
    const connector = connect({}, { now: () => new Date(now) });
    await connector.startLogin({ state: 'one', redirectUri: REDIRECT_URI });
    now += 14 * 60_000;
    await connector.startLogin({ state: 'two', redirectUri: REDIRECT_URI });
    const early = fake.requests.length;
    now += 2 * 60_000;
    await connector.startLogin({ state: 'three', redirectUri: REDIRECT_URI });

    expect([early, fake.requests.length]).toEqual([1, 2]);
  });

  test('make do with the last document while the provider is out, but not with another one', async () => {
    let now = Date.now();
    const connector = connect({}, { now: () => new Date(now) });
    const start = () => connector.startLogin({ state: 'a state', redirectUri: REDIRECT_URI });
    await start();
    now += 60 * 60_000;
    fake.behave = {
      routes: { '/.well-known/openid-configuration': (_, response) => send(response, 503, {}) },
    };
    await start();
    now += 60 * 60_000;
    fake.behave = { discovery: having({ issuer: 'https://evil.example' }) };

    expect(await reasonOf(start())).toBe('discovery_issuer_mismatch');
  });
});

describe('new keys of the provider', () => {
  test('are known at the next sign-in, even within the minute, and the code is redeemed once', async () => {
    const connector = connect();
    await signIn(connector, fake.authorize);
    fake.key = makeKey();
    fake.requests.length = 0;

    expect(await reasonOf(signIn(connector, fake.authorize))).toBe('accepted');
    expect(fake.requests).toEqual(['POST /token', 'GET /jwks', 'GET /userinfo']);
  });

  test('are known even when they go by the old name', async () => {
    const connector = connect();
    await signIn(connector, fake.authorize);
    const { kid } = fake.key.jwk;
    fake.key = makeKey();
    fake.key.jwk.kid = kid;

    expect(await reasonOf(signIn(connector, fake.authorize))).toBe('accepted');
  });

  test('are asked for once; then the sign-in is refused', async () => {
    const connector = connect();
    await signIn(connector, fake.authorize);
    fake.requests.length = 0;
    fake.behave = { header: having({ kid: 'nobody' }) };

    expect(await reasonOf(signIn(connector, fake.authorize))).toBe('signing_key_unknown');
    expect(fake.requests).toEqual(['POST /token', 'GET /jwks']);
  });
});

describe('asking again for somebody who is away', () => {
  const grant = { refreshToken: 'refresh-token-of-ada', subject: SUBJECT };

  test('gives the groups of now, and the next refresh token', async () => {
    fake.behave = { claims: having({ groups: ['board'] }), token: having({ refresh_token: 'the next one' }) };

    const identity = await connect().refresh(grant);

    expect(identity).toMatchObject({
      subject: SUBJECT,
      groups: ['board'],
      tokens: { refreshToken: 'the next one' },
    });
    expect(fake.tokenRequests[0]?.form.get('refresh_token')).toBe('refresh-token-of-ada');
  });

  test('keeps the old refresh token, and asks user info, when nothing else comes', async () => {
    fake.behave = { token: without('refresh_token', 'id_token'), userInfo: having({ groups: 'board' }) };

    expect(await connect().refresh(grant)).toMatchObject({
      groups: ['board'],
      tokens: { refreshToken: grant.refreshToken },
    });
  });

  test.each<[string, FakeProvider['behave'], string]>([
    [
      'somebody else comes back',
      { claims: having({ sub: 'mallory' }), userInfo: having({ sub: 'mallory' }) },
      'subject_invalid',
    ],
    [
      'user info is of somebody else',
      { token: without('id_token'), userInfo: having({ sub: 'mallory' }) },
      'userinfo_subject_mismatch',
    ],
    [
      'the token is used up',
      { routes: { '/token': (_, response) => send(response, 400, { error: 'invalid_grant' }) } },
      'refresh_refused',
    ],
    ['the new ID token is not signed', { header: having({ alg: 'none' }) }, 'algorithm_refused'],
  ])('is refused when %s', async (_name, behave, reason) => {
    fake.behave = behave;

    expect(await reasonOf(connect().refresh(grant))).toBe(reason);
  });
});

describe('logging out at the provider', () => {
  const request = { postLogoutRedirectUri: 'http://localhost:3000/bye', state: 'a state' };

  test('leads to its page, with a hint and the way back', async () => {
    const url = (await connect().endSession({ ...request, idToken: 'eyJ.x.y' }))?.redirectTo;

    expect(url?.href.split('?')[0]).toBe(`${fake.issuer}/logout`);
    expect(Object.fromEntries(url?.searchParams ?? [])).toEqual({
      id_token_hint: 'eyJ.x.y',
      client_id: 'finance-app',
      post_logout_redirect_uri: request.postLogoutRedirectUri,
      state: 'a state',
    });
  });

  test('leaves out a hint that would make the address too long', async () => {
    const url = (await connect().endSession({ ...request, idToken: 'x'.repeat(8_000) }))?.redirectTo;

    expect(url?.searchParams.has('id_token_hint')).toBe(false);
    expect(url?.searchParams.get('client_id')).toBe('finance-app');
  });

  test('is nowhere when the provider has no page for it, or does not answer', async () => {
    fake.behave = { discovery: without('end_session_endpoint') };
    const none = await connect().endSession(request);
    fake.behave = {
      routes: { '/.well-known/openid-configuration': (_, response) => send(response, 500, {}) },
    };
    const silent = await connect().endSession(request);

    expect([none, silent]).toEqual([undefined, undefined]);
  });
});

test('documents of no more than 200 issuers are kept', async () => {
  const { discoveries, outbound } = access();
  const asked = vi.spyOn(outbound, 'request').mockImplementation(async (url) => ({
    url,
    status: 200,
    contentType: 'application/json',
    challenge: undefined,
    location: undefined,
    from: 'loopback',
    text: JSON.stringify({
      ...fake.discovery(),
      issuer: `${url.origin}${url.pathname.replace('/.well-known/openid-configuration', '')}`,
    }),
  }));
  const issuers = Array.from({ length: 201 }, (_, number) => `http://127.0.0.1:1/${number}`);
  for (const issuer of issuers) await discoveries.find(issuer);
  asked.mockClear();

  for (const issuer of issuers.slice(1)) await discoveries.find(issuer);
  const kept = asked.mock.calls.length;
  await discoveries.find('http://127.0.0.1:1/0');

  expect([kept, asked.mock.calls.length]).toEqual([0, 1]);
});
