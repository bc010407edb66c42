import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import {
  elsewhere,
  eventTypes,
  givenAcme,
  isSignedIn,
  pressButton,
  recorded,
  SECRET,
} from '#test/http/federated.ts';
import { serve } from '#test/http/serve.ts';
import { visit } from '#test/http/visitor.ts';
import { type RealProvider, startOidcProvider } from '#test/sso/support/oidc-provider.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const path = ({ pathname, search }: URL) => pathname + search;

describe('oidc-provider', () => {
  let provider: RealProvider;
  beforeAll(async () => {
    provider = await startOidcProvider();
  });
  afterAll(() => provider.close());

  test('signs somebody in with groups, and out again, over two processes', async () => {
    await givenAcme(harness, provider.issuer, {
      scopes: 'openid profile email groups',
      role_mapping: { mappings: [{ group: 'board', role: 'super_admin' }] },
    });
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const visitor = visit(first);
    const sent = await pressButton(visitor);
    const back = await provider.authorize(new URL(sent.location));
    const other = elsewhere(visitor, second);

    const answer = await other.get(path(back));

    expect([answer.status, answer.location]).toEqual([303, '/']);
    const page = await other.get('/settings/security');
    expect(page.text).toContain('Ada Lovelace');
    expect(await harness.query('select email, role from users')).toEqual([
      { email: 'ada@example.com', role: 'super_admin' },
    ]);

    const left = await other.submit(page, '/logout');

    expect((await fetch(left.location)).status).toBe(200);
    expect(await isSignedIn(elsewhere(other, first))).toBe(false);
    expect(await eventTypes(harness)).toEqual(['jit_account_created', 'role_changed', 'login', 'logout_idp']);
  });

  test('tells us who left', async () => {
    await givenAcme(harness, provider.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const sent = await pressButton(visitor);
    await visitor.get(path(await provider.authorize(new URL(sent.location))));
    const token = await provider.logOut('ada-1815');

    const answer = await visitor.send('/auth/acme/backchannel_logout', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });

    expect([answer.status, await isSignedIn(visitor)]).toEqual([200, false]);
  });
});

async function goRound(served: { url: string }) {
  const visitor = visit(served);
  const sent = await pressButton(visitor, { name: 'plain' });
  const there = await fetch(sent.location, { redirect: 'manual' });
  const back = path(new URL(there.headers.get('location') ?? ''));
  return { visitor, back, answer: await visitor.get(back) };
}

describe('oauth2-mock-server', () => {
  let server: OAuth2Server;
  let said: Record<string, unknown> = {};
  beforeAll(async () => {
    server = new OAuth2Server();
    await server.issuer.keys.generate('RS256');
    await server.start(0, '127.0.0.1');
    server.service.on('beforeUserinfo', (answer: { body: Record<string, unknown> }) => {
      answer.body = said;
    });
  });
  afterAll(() => server.stop());

  async function givenPlain(fields: Record<string, unknown> = {}) {
    const base = server.issuer.url ?? '';
    const plain = {
      strategy: 'oauth2',
      name: 'plain',
      label: 'Plain',
      authorization_url: `${base}/authorize`,
      token_url: `${base}/token`,
      userinfo_url: `${base}/userinfo`,
      client_id: 'finance',
      client_secret: SECRET,
      ...fields,
    };
    await harness.perform((work) => createProvider(work, plain));
  }

  test('signs somebody in by OAuth 2.0, once, with a session that ends here alone', async () => {
    await givenPlain();
    await using served = await serve(harness.runtime);
    said = { id: 4711, email: 'john@example.com', email_verified: true };

    const { visitor, back, answer } = await goRound(served);
    const again = await elsewhere(visitor, served).get(back);

    expect([answer.location, again.status]).toEqual(['/', 403]);
    expect(await harness.query('select provider, subject, issuer from identities')).toEqual([
      { provider: 'plain', subject: '4711', issuer: null },
    ]);
    const left = await visitor.submit(await visitor.get('/settings/security'), '/logout');
    expect(left.location).toBe('/sessions/new?notice=signed_out');
    expect(await recorded(harness)).toMatchObject([
      { event_type: 'jit_account_created', provider: 'plain' },
      { event_type: 'login', provider: 'plain', metadata: { method: 'oauth2' } },
      { event_type: 'login_failed', provider: 'plain', metadata: { reason: 'state_mismatch' } },
      { event_type: 'logout', provider: 'plain' },
    ]);
  });

  test.each([
    ['names nobody', { email: 'john@example.com' }, 'subject_missing'],
    [
      'has not verified the email',
      { id: 1, email: 'j@example.com', email_verified: false },
      'email_unverified',
    ],
    ['says no email', { id: 1 }, 'email_missing'],
  ])('lets nobody in who %s', async (_, answer, reason) => {
    await givenPlain({ email_verified_attribute: 'email_verified' });
    await using served = await serve(harness.runtime);
    said = answer;

    const { visitor } = await goRound(served);

    expect((await recorded(harness)).map(({ metadata }) => metadata.reason)).toEqual([reason]);
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await harness.query('select 1 from users')).toEqual([]);
  });
});
