import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkProvider } from '#src/sso/checks/check-provider.ts';
import { createOidcConnector } from '#src/sso/connectors/oidc.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';
import { type RealProvider, startOidcProvider } from '#test/sso/support/oidc-provider.ts';
import { oidcProvider, REDIRECT_URI, reasonOf, signIn, useAccess } from '#test/sso/support/providers.ts';

const access = useAccess();

describe('oidc-provider', () => {
  let provider: RealProvider;
  beforeAll(async () => {
    provider = await startOidcProvider();
  });
  beforeEach(() => {
    provider.requests.length = 0;
  });
  afterAll(() => provider.close());

  const connect = (changes: Partial<OidcProvider> = {}) =>
    createOidcConnector(oidcProvider(provider.issuer, changes), access());
  const GROUPS = {
    roleMapping: {
      mappings: [{ group: 'board', role: 'admin' as const }],
      conditions: [],
      hierarchy: {},
      customMappings: {},
    },
  };

  test('signs somebody in, with the groups that were asked for by name', async () => {
    const identity = await signIn(connect(GROUPS), provider.authorize);

    expect(identity).toMatchObject({
      subject: 'ada-1815',
      issuer: provider.issuer,
      email: 'ada@example.com',
      emailVerified: true,
      firstName: 'Ada',
      lastName: 'Lovelace',
      groups: ['engines', 'board'],
      tokens: { idToken: expect.any(String), refreshToken: expect.any(String) },
    });
  });

  test('takes the client secret in the header, with everything in it that needs encoding', async () => {
    const changes = {
      clientId: 'basic-app.1',
      clientSecret: 'a b:c%d+e/f&~',
      tokenEndpointAuth: 'client_secret_basic' as const,
    };

    expect(await reasonOf(signIn(connect(changes), provider.authorize))).toBe('accepted');
  });

  test('refuses a wrong secret, and we say so', async () => {
    expect(await reasonOf(signIn(connect({ clientSecret: 'wrong' }), provider.authorize))).toBe(
      'client_refused',
    );
  });

  test('refuses a code the second time, and we say so', async () => {
    const connector = connect();
    const login = { state: 'a state', redirectUri: REDIRECT_URI };
    const { redirectTo, secrets } = await connector.startLogin(login);
    const url = await provider.authorize(redirectTo);
    await connector.handleCallback({ url }, { ...login, secrets });

    expect(await reasonOf(connector.handleCallback({ url }, { ...login, secrets }))).toBe('code_refused');
  });

  test('refuses the code of another sign-in, whose verifier we do not have', async () => {
    const connector = connect();
    const login = { state: 'a state', redirectUri: REDIRECT_URI };
    const [mine, theirs] = [await connector.startLogin(login), await connector.startLogin(login)];
    const url = await provider.authorize(theirs.redirectTo);

    expect(await reasonOf(connector.handleCallback({ url }, { ...login, secrets: mine.secrets }))).toBe(
      'code_refused',
    );
  });

  test('says who somebody is while they are away', async () => {
    const connector = connect(GROUPS);
    const { subject, tokens } = await signIn(connector, provider.authorize);

    const identity = await connector.refresh({ subject, refreshToken: tokens?.refreshToken ?? '' });

    expect(identity).toMatchObject({
      subject,
      groups: ['engines', 'board'],
      tokens: { refreshToken: expect.any(String) },
    });
    expect(await reasonOf(connector.refresh({ subject, refreshToken: 'nonsense' }))).toBe('refresh_refused');
  });

  test('knows the page we send people to when they leave', async () => {
    const connector = connect();
    const { tokens } = await signIn(connector, provider.authorize);

    const leaving = await connector.endSession({
      idToken: tokens?.idToken,
      postLogoutRedirectUri: 'http://localhost:3000/bye',
      state: 's',
    });

    expect((await fetch(leaving?.redirectTo ?? '')).status).toBe(200);
  });

  test('tells us who left', async () => {
    const notice = await connect().verifyLogoutToken(await provider.logOut('ada-1815'));

    expect(notice).toMatchObject({
      subject: 'ada-1815',
      issuer: provider.issuer,
      tokenId: expect.any(String),
    });
  });

  test('passes the check', async () => {
    expect(await checkProvider(oidcProvider(provider.issuer), access())).toMatchObject({ ok: true });
  });
});

test('oauth2-mock-server signs somebody in by OpenID Connect', async () => {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  await server.start(0, '127.0.0.1');
  const issuer = server.issuer.url ?? '';
  server.service.on('beforeTokenSigning', (token: { payload: Record<string, unknown> }) => {
    if (token.payload.aud === undefined) return;
    token.payload.email = 'john@example.com';
  });
  const connector = createOidcConnector(oidcProvider(issuer), access());

  const identity = signIn(connector, async (redirectTo) => {
    const { headers } = await fetch(redirectTo, { redirect: 'manual' });
    return new URL(headers.get('location') ?? '');
  });

  expect(await identity).toMatchObject({ subject: 'johndoe', issuer });
  await server.stop();
});
