import { describe, expect, test } from 'vitest';
import { eventTypes, givenAcme, isSignedIn, useFakeProvider } from '#test/http/federated.ts';
import { givenPerson, serveWith, signIn } from '#test/http/people.ts';
import type { Served } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';

import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db', AUTH_AUTO_REDIRECT: 'true' });

const acme = await useFakeProvider();

const NOBODY = { localLogin: false, adminOverride: false };
const ADMINS = { localLogin: false, adminOverride: true };
/** What a browser sends along when an address is typed in. */
const TYPED = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Dest': 'document' };
const CLICKED = { ...TYPED, 'Sec-Fetch-Site': 'same-origin' };

const serveAuto = (auth = NOBODY) => serveWith(harness, { auth });
const visitSignIn = (served: Served, path = '/sessions/new', headers: Record<string, string> = TYPED) =>
  visit(served).get(path, headers);
const waiting = () => harness.query('select purpose, user_id, return_to from pending_logins');

/** Every place the browser is sent to, as long as it is one of ours. */
async function goOn(visitor: Visitor, page: Visited, headers: Record<string, string>): Promise<Visited> {
  return page.location.startsWith('/')
    ? goOn(visitor, await visitor.get(page.location, headers), headers)
    : page;
}

async function expectPage(answer: Visited): Promise<void> {
  expect([answer.status, answer.location]).toEqual([200, '']);
  expect(answer.root.querySelector('form[action="/auth/acme"]')).not.toBeNull();
  expect(await waiting()).toEqual([]);
}

describe('somebody who comes to sign in where there is one way only', () => {
  test.each([
    ['with passwords for nobody', NOBODY, TYPED],
    ['with passwords for super admins', ADMINS, TYPED],
    ['by a link of ours', NOBODY, CLICKED],
  ])('%s is sent there at once, and back to where they were going', async (_, auth, headers) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serveAuto(auth);
    const visitor = visit(served);

    const sent = await goOn(visitor, await visitor.get('/settings/api_keys?x=1', headers), headers);
    const { pathname, search } = acme.authorize(new URL(sent.location));
    const back = await visitor.get(pathname + search);

    expect(sent.status).toBe(303);
    expect(sent.location).toMatch(new RegExp(`^${acme.issuer}`));
    expect(back).toMatchObject({ status: 303, location: '/settings/api_keys?x=1' });
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test('begins a sign-in like any other', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serveAuto();

    await visitSignIn(served, '/sessions/new?return_to=//evil.test');

    expect(await waiting()).toEqual([{ purpose: 'login', user_id: null, return_to: '/' }]);
  });

  test('is told when it cannot begin, and led to the page that goes no further', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serveAuto();
    acme.behave = {
      routes: { '/.well-known/openid-configuration': (_, response) => void response.writeHead(500).end() },
    };

    const answer = await visitSignIn(served);
    const link = answer.root.querySelector('main a')?.getAttribute('href') ?? '';

    expect([answer.status, await eventTypes(harness)]).toEqual([502, ['login_failed']]);
    expect(link).toBe('/sessions/new?local=1');
    await expectPage(await visitSignIn(served, link, CLICKED));
  });

  test('is led to that page as well when the provider refuses them', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serveAuto();
    const visitor = visit(served);
    const sent = await visitor.get('/sessions/new', TYPED);
    const { pathname, search } = acme.authorize(new URL(sent.location));

    const answer = await visitor.get((pathname + search).replace(/code=[^&]*/, 'error=access_denied'));

    expect(answer.status).toBe(403);
    expect(answer.root.querySelector('main a')?.getAttribute('href')).toBe('/sessions/new?local=1');
  });

  test('may connect another account first: the page that asks for a password leads to that page too', async () => {
    await givenAcme(harness, acme.issuer);
    await givenPerson(harness, { email: 'ada@example.com' });
    await using served = await serveAuto(ADMINS);
    const visitor = visit(served);
    const sent = await visitor.get('/sessions/new', TYPED);
    const { pathname, search } = acme.authorize(new URL(sent.location));

    const page = await visitor.follow(await visitor.get(pathname + search));

    expect(page.root.querySelector('main a')?.getAttribute('href')).toBe('/sessions/new?local=1');
  });
});

describe('the page is shown all the same', () => {
  test.each([
    ['on request', '/sessions/new?local=1'],
    ['after signing out', '/sessions/new?notice=signed_out'],
    ['after a refusal', '/sessions/new?notice=local_login_disabled'],
    ['after a sign-in that expired', '/sessions/new?notice=link_expired'],
    ['after a form that came too late', '/sessions/new?notice=sign_in_first'],
    ['with a notice nobody knows', '/sessions/new?notice=nonsense&return_to=/'],
  ])('%s', async (_, path) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serveAuto();

    await expectPage(await visitSignIn(served, path));
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { ...TYPED, 'Sec-Fetch-Site': 'cross-site' }],
    ['a neighbouring site', { ...TYPED, 'Sec-Fetch-Site': 'same-site' }],
    ['a frame', { ...CLICKED, 'Sec-Fetch-Dest': 'iframe' }],
    ['an image', { ...CLICKED, 'Sec-Fetch-Dest': 'image' }],
    ['a browser that guesses ahead', { ...TYPED, 'Sec-Purpose': 'prefetch;prerender' }],
    ['a browser that does not say', {}],
  ])('to %s', async (_, headers) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serveAuto();

    await expectPage(await visitSignIn(served, undefined, headers));
  });

  test('where there are two providers, or passwords for everybody, or the setting is off', async () => {
    await givenAcme(harness, acme.issuer);
    await using open = await serveWith(harness, {});
    const sso = { ...harness.runtime.config.sso, autoRedirect: false };
    await using off = await serveWith(harness, { auth: NOBODY, sso });
    await using served = await serveAuto();

    await expectPage(await visitSignIn(open));
    await expectPage(await visitSignIn(off));
    await givenAcme(harness, acme.issuer, { name: 'umbrella' });
    await expectPage(await visitSignIn(served));
  });

  test('with a sentence where no provider can be used', async () => {
    await givenAcme(harness, acme.issuer, { enabled: false });
    await using served = await serveAuto();

    const page = await visitSignIn(served);

    expect([page.status, page.text.includes('turned off here')]).toEqual([200, true]);
  });

  test('after a wrong password of a super admin', async () => {
    await givenAcme(harness, acme.issuer);
    const { email } = await givenPerson(harness, { role: 'super_admin' });
    await using served = await serveAuto(ADMINS);
    const visitor = visit(served);
    const page = await visitor.get('/sessions/new?local=1', TYPED);

    const answer = await visitor.submit(page, '/sessions', { email, password: 'wrong' });

    expect([answer.status, await waiting()]).toEqual([422, []]);
    expect(answer.root.querySelector('form[action="/sessions"]')).not.toBeNull();
  });
});

test('a head request and somebody signed in begin nothing', async () => {
  await givenAcme(harness, acme.issuer);
  const ada = await givenPerson(harness, { role: 'super_admin' });
  await using served = await serveAuto(ADMINS);
  const visitor = await signIn(served, ada);

  const inside = await visitor.get('/sessions/new', TYPED);
  const head = await visit(served).send('/sessions/new', { method: 'HEAD', headers: TYPED });

  expect([inside.location, head.status, await waiting()]).toEqual(['/', 200, []]);
});
