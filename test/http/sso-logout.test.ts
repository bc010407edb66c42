import { describe, expect, test } from 'vitest';
import {
  being,
  elsewhere,
  givenAcme,
  isSignedIn,
  recorded,
  saying,
  signInThrough,
  useFakeProvider,
} from '#test/http/federated.ts';
import { givenPerson, signIn } from '#test/http/people.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { visit } from '#test/http/visitor.ts';
import { CLIENT_ID, having, SUBJECT, without } from '#test/sso/support/fake-provider.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const acme = await useFakeProvider();

const departures = async () =>
  (await recorded(harness)).filter(({ event_type }) => event_type.startsWith('logout'));

describe('signing out', () => {
  test('ends the session here, then leads to the provider and back', async () => {
    await givenAcme(harness, acme.issuer);
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const { visitor } = await signInThrough(first, acme);
    const other = elsewhere(visitor, second);
    const page = await other.get('/settings/security');

    const answer = await other.submit(page, '/logout');

    const url = new URL(answer.location);
    expect([answer.status, url.origin + url.pathname]).toEqual([303, `${acme.issuer}/logout`]);
    expect(url.searchParams.get('client_id')).toBe(CLIENT_ID);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(
      'http://localhost:3000/auth/logout/callback',
    );
    expect(url.searchParams.get('state')).toMatch(/^[\w-]{43}$/);
    expect(url.searchParams.get('id_token_hint')).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/);
    expect([await isSignedIn(visitor), await isSignedIn(other)]).toEqual([false, false]);
    expect(await departures()).toMatchObject([
      { event_type: 'logout_idp', provider: 'acme', user_id: expect.any(String) },
    ]);
    expect((await other.follow(await other.get('/auth/logout/callback?state=x'))).text).toContain(
      'You are signed out.',
    );
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self' https:/);
  });

  test('works on every page, also when the provider has no button any more', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const { visitor } = await signInThrough(served, acme);
    await harness.query('update sso_providers set enabled = false');

    const page = await visitor.get('/settings/security');

    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' https: http:;`);
    expect((await visitor.submit(page, '/logout')).location).toContain(`${acme.issuer}/logout?`);
  });

  test('stays here when the provider has no such place', async () => {
    acme.behave = saying({}, { discovery: without('end_session_endpoint') });
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const { visitor } = await signInThrough(served, acme);

    const answer = await visitor.submit(await visitor.get('/settings/security'), '/logout');

    expect(answer.location).toBe('/sessions/new?notice=signed_out');
    expect(await departures()).toMatchObject([{ event_type: 'logout', provider: 'acme' }]);
  });

  test('ends the session here when the provider does not answer any more', async () => {
    await givenAcme(harness, acme.issuer);
    await using first = await serve(harness.runtime);
    await using cold = await serve(harness.runtime, { loginTimeout: 300 });
    const { visitor } = await signInThrough(first, acme);
    const other = elsewhere(visitor, cold);
    acme.behave = { routes: { '/.well-known/openid-configuration': () => undefined } };

    const answer = await other.submit(await other.get('/settings/security'), '/logout');

    expect(answer.location).toBe('/sessions/new?notice=signed_out');
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await departures()).toMatchObject([{ event_type: 'logout_idp' }]);
  });

  test('of a session that began with a password, or by a program, never leads elsewhere', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const local = await signIn(served, await givenPerson(harness));
    const { visitor } = await signInThrough(served, acme);

    const answer = await local.submit(await local.get('/settings/security'), '/logout');
    const deleted = await visitor.send('/sessions', { method: 'DELETE' });

    expect([answer.location, deleted.status]).toEqual(['/sessions/new?notice=signed_out', 204]);
    expect((await departures()).map(({ event_type, provider }) => [event_type, provider])).toEqual([
      ['logout', null],
      ['logout', 'acme'],
    ]);
  });
});

const tell = (served: Pick<Served, 'url'>, token: string, name = 'acme') =>
  visit(served).send(`/auth/${name}/backchannel_logout`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
  });
const withSession = (sid: string) => saying({}, { claims: having({ sid }) });

describe('a provider that tells who left', () => {
  test('ends every session of theirs, in every process, and nobody else’s', async () => {
    await givenAcme(harness, acme.issuer);
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const [one, two] = [await signInThrough(first, acme), await signInThrough(second, acme)];
    acme.behave = being('eve');
    const eve = await signInThrough(first, acme);
    const local = await signIn(first, await givenPerson(harness));

    const answer = await tell(second, acme.logoutToken());

    expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
    const still = [one.visitor, two.visitor, eve.visitor, local].map(isSignedIn);
    expect(await Promise.all(still)).toEqual([false, false, true, true]);
    expect(await departures()).toMatchObject([
      { event_type: 'logout', provider: 'acme', metadata: { reason: 'backchannel', sessions: 2 } },
    ]);
  });

  test.each([
    ['by session', { sub: undefined, sid: 'laptop' }],
    ['by session and subject', { sid: 'laptop' }],
  ])('ends the one session that it names %s', async (_, claims) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    acme.behave = withSession('laptop');
    const laptop = await signInThrough(served, acme);
    acme.behave = withSession('phone');
    const phone = await signInThrough(served, acme);

    const answer = await tell(served, acme.logoutToken(claims));

    expect(answer.status).toBe(200);
    expect([await isSignedIn(laptop.visitor), await isSignedIn(phone.visitor)]).toEqual([false, true]);
  });

  test('ends nothing of another person with the same session name', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    acme.behave = withSession('laptop');
    const ada = await signInThrough(served, acme);

    const answer = await tell(served, acme.logoutToken({ sub: 'eve', sid: 'laptop' }));

    expect([answer.status, await isSignedIn(ada.visitor), await departures()]).toEqual([200, true, []]);
  });

  test('is heard once', async () => {
    await givenAcme(harness, acme.issuer);
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    await signInThrough(first, acme);
    const token = acme.logoutToken();
    await tell(first, token);
    const { visitor } = await signInThrough(first, acme);

    const again = await tell(second, token);

    expect([again.status, await isSignedIn(visitor)]).toEqual([400, true]);
  });

  test.each<[string, () => string]>([
    ['nonsense', () => 'nonsense'],
    ['nothing', () => ''],
    ['an ID token', () => acme.logoutToken({ events: undefined, nonce: 'n' }, { typ: 'JWT' })],
    ['a token for others', () => acme.logoutToken({ aud: 'other' })],
    ['a token of another issuer', () => acme.logoutToken({ iss: 'https://evil.test' })],
    ['an unsigned token', () => acme.logoutToken({}, { alg: 'none' })],
    ['an old token', () => acme.logoutToken({ iat: 1_000_000_000, exp: 1_000_000_100 })],
  ])('is refused with %s', async (_, make) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const { visitor } = await signInThrough(served, acme);

    const answer = await tell(served, make());

    expect([answer.status, JSON.parse(answer.text).error]).toEqual([400, 'invalid_request']);
    expect([await isSignedIn(visitor), await departures()]).toEqual([true, []]);
  });

  test('is not known under another name', async () => {
    await using served = await serve(harness.runtime);

    expect((await tell(served, acme.logoutToken({ sub: SUBJECT }), 'nobody')).status).toBe(404);
  });
});
