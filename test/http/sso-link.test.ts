import { describe, expect, test } from 'vitest';
import { suspendUser } from '#src/users/suspend-user.ts';
import {
  being,
  elsewhere,
  eventTypes,
  givenAcme,
  goThrough,
  isSignedIn,
  meanwhile,
  recorded,
  saying,
  signInThrough,
  snapshot,
  useFakeProvider,
} from '#test/http/federated.ts';
import { givenPerson, PASSWORD, type Person, serveWith, signIn } from '#test/http/people.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';
import { SUBJECT } from '#test/sso/support/fake-provider.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const acme = await useFakeProvider();

const identities = () =>
  harness.query<Record<string, string>>(
    'select id, user_id, provider, subject from identities order by created_at',
  );
const lastReason = async () => (await recorded(harness)).at(-1)?.metadata.reason;

const givenAda = (options = {}) => givenPerson(harness, { email: 'ada@example.com', ...options });

async function arrive(served: Served, at = {}): Promise<{ visitor: Visitor; page: Visited; path: string }> {
  const { visitor, answer } = await signInThrough(served, acme, at);
  return { visitor, path: answer.location, page: await visitor.get(answer.location) };
}
const confirm = ({ visitor, page }: { visitor: Visitor; page: Visited }, password = PASSWORD) =>
  visitor.submit(page, '/sessions/link', { password });

describe('a stranger whose email an account has', () => {
  test('is asked for its password, and then both ways open it', async () => {
    await givenAcme(harness, acme.issuer);
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const ada = await givenAda();
    const start = visit(first);
    const back = await goThrough(start, acme, { page: '/sessions/new?return_to=/settings/api_keys' });
    const asked = await start.get(back);
    const before = await snapshot(harness);
    const visitor = elsewhere(start, second);
    const page = await visitor.get(asked.location);

    const answer = await confirm({ visitor, page });

    expect(asked.location).toMatch(/^\/sessions\/link\?login=[\w-]{43}$/);
    expect(page.text).toContain('a•••@example.com');
    expect(page.text).not.toContain('ada@example.com');
    expect(before).toMatchObject({ identities: [], sessions: [] });
    expect(answer).toMatchObject({ status: 303, location: '/settings/api_keys' });
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await identities()).toMatchObject([{ user_id: ada.id, provider: 'acme', subject: SUBJECT }]);
    expect(await recorded(harness)).toMatchObject([
      { event_type: 'link', user_id: ada.id, provider: 'acme' },
      { event_type: 'login', user_id: ada.id, provider: 'acme' },
    ]);
    expect((await signInThrough(first, acme)).answer.location).toBe('/');
    expect(await isSignedIn(await signIn(first, ada))).toBe(true);
  });

  test('with a wrong password stays outside, and may try again', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const ada = await givenAda();
    const arrived = await arrive(served);
    const before = await snapshot(harness);

    const wrong = await confirm(arrived, 'not the password');

    expect([wrong.status, wrong.text.includes('The password is wrong')]).toEqual([422, true]);
    expect(await snapshot(harness)).toEqual(before);
    expect(await recorded(harness)).toMatchObject([
      {
        event_type: 'login_failed',
        user_id: ada.id,
        provider: 'acme',
        metadata: { reason: 'wrong_password' },
      },
    ]);
    expect((await confirm({ visitor: arrived.visitor, page: wrong })).status).toBe(303);
  });

  test('is stopped by the same count as guesses at the sign-in page', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const ada = await givenAda();
    const arrived = await arrive(served);
    for (let guess = 0; guess < 10; guess += 1) await confirm(arrived, 'a guess');

    const right = await confirm(arrived);
    await confirm(arrived);

    expect([right.status, right.headers.has('retry-after')]).toEqual([429, true]);
    expect(await identities()).toEqual([]);
    const reasons = (await recorded(harness)).map(({ metadata }) => metadata.reason);
    expect(reasons).toEqual([...Array(10).fill('wrong_password'), 'throttled']);
    await expect(signIn(served, ada)).rejects.toThrow('429');
  });

  test.each<[string, (arrived: { visitor: Visitor }) => Promise<unknown>]>([
    [
      'after ten minutes',
      () => harness.query(`update pending_logins set expires_at = now() - interval '1 second'`),
    ],
    [
      'in another browser',
      async ({ visitor }) => {
        visitor.cookies.clear();
        const { root } = await visitor.get('/sessions/new');
        return root;
      },
    ],
  ])('is refused %s', async (_, change) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda();
    const { visitor, path, page } = await arrive(served);
    await change({ visitor });
    const before = await snapshot(harness);
    const token = (await visitor.get('/sessions/new')).root
      .querySelector('[name=csrf_token]')
      ?.getAttribute('value');

    const looked = await visitor.get(path);
    const answer = await visitor.submit(page, '/sessions/link', {
      password: PASSWORD,
      csrf_token: token ?? '',
    });

    expect(looked.location).toBe('/sessions/new?notice=link_expired');
    expect([answer.status, await lastReason()]).toEqual([403, 'link_refused']);
    expect(await snapshot(harness)).toEqual(before);
    expect(await eventTypes(harness)).toEqual(['login_failed']);
  });

  test('is refused with a password that is changed at the very moment', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda();
    const arrived = await arrive(served);
    const change = `update users set password_digest = 'another'`;

    const answer = await meanwhile(harness, change, () => confirm(arrived));

    expect([answer.status, await lastReason(), await identities()]).toEqual([403, 'link_refused', []]);
  });

  test('cannot be taken for a sign-in that comes back', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda();
    const { visitor, page, path } = await arrive(served);
    const token = new URL(path, served.url).searchParams.get('login') ?? '';
    acme.requests.length = 0;

    const answer = await visitor.get(`/auth/acme/callback?code=x&state=${token}`);

    expect([answer.status, await lastReason(), acme.requests]).toEqual([403, 'state_mismatch', []]);
    expect((await confirm({ visitor, page })).status).toBe(303);
  });

  test('confirms once', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda();
    const arrived = await arrive(served);
    const copy = elsewhere(arrived.visitor, served);
    await confirm(arrived);

    const again = await confirm({ visitor: copy, page: arrived.page });

    expect(again.status).toBe(403);
    expect(await eventTypes(harness)).toEqual(['link', 'login', 'login_failed']);
  });

  test('is refused when the provider was disabled meanwhile', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda();
    const arrived = await arrive(served);
    await harness.query('update sso_providers set enabled = false');

    const answer = await confirm(arrived);

    expect([answer.status, await lastReason(), await identities()]).toEqual([403, 'provider_disabled', []]);
  });

  test('is refused while it is suspended, before and after the question', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const ada = await givenAda();
    const arrived = await arrive(served);
    await harness.perform((work) => suspendUser(work, { user: ada.id }));

    const confirmed = await confirm(arrived);
    const { answer } = await signInThrough(served, acme);

    expect([confirmed.status, answer.status, await lastReason()]).toEqual([422, 403, 'user_suspended']);
    expect(await identities()).toEqual([]);
  });

  test('is told what to do when there is no password', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda({ password: null });

    const { page } = await arrive(served);

    expect(page.text).toContain('Sign in the way you usually do');
    expect(page.root.querySelector('input[name=password]')).toBeNull();
  });

  test('is asked while local login is off and accounts are not made', async () => {
    await givenAcme(harness, acme.issuer);
    const { sso } = harness.runtime.config;
    await using served = await serveWith(harness, {
      auth: { localLogin: false, adminOverride: false },
      sso: { ...sso, jitMode: 'link_only', allowedDomains: ['other.example'] },
    });
    await givenAda();

    expect((await confirm(await arrive(served))).status).toBe(303);
  });

  test.each([false, undefined])('learns nothing with an email whose verification is %s', async (verified) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda();
    acme.behave = saying({ email_verified: verified });

    const { answer } = await signInThrough(served, acme);

    expect([answer.status, await lastReason()]).toEqual([403, 'email_unverified']);
    expect(await harness.query(`select 1 from pending_logins where purpose = 'confirm'`)).toEqual([]);
  });

  test('is found whatever the case of its letters', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda();
    acme.behave = saying({ email: 'ADA@Example.COM' });

    expect((await signInThrough(served, acme)).answer.location).toMatch(/^\/sessions\/link/);
  });

  test('leaves nothing readable behind while it waits', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await givenAda();

    await arrive(served);

    const waiting = JSON.stringify(await harness.query('select * from pending_logins'));
    expect(waiting).not.toMatch(/ada-1815|refresh-token|example\.com/);
  });
});

async function connect(visitor: Visitor, name = 'acme'): Promise<Visited> {
  return visitor.get(await goThrough(visitor, acme, { name, page: '/settings/security' }));
}
const section = async (visitor: Visitor) => (await visitor.get('/settings/security')).root;

describe('Security', () => {
  test('connects an account without a password, and signs in with it from then on', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = await signIn(served, ada);

    const answer = await connect(visitor);

    expect(answer.location).toBe('/settings/security?notice=account_connected');
    expect((await visitor.follow(answer)).text).toContain('Sign in with Acme');
    expect(await identities()).toMatchObject([{ user_id: ada.id, subject: SUBJECT }]);
    expect((await recorded(harness)).slice(1)).toMatchObject([
      { event_type: 'link', user_id: ada.id, provider: 'acme' },
    ]);
    expect((await section(visitor)).querySelector('form[action="/auth/acme"]')).toBeNull();
    const { visitor: other } = await signInThrough(served, acme);
    expect((await other.get('/settings/security')).text).toContain(ada.email);
  });

  test('refuses what is connected with somebody else', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    const eve = await signIn(served, await givenPerson(harness));
    const before = await snapshot(harness);

    const answer = await connect(eve);

    expect([answer.status, await lastReason()]).toEqual([403, 'identity_taken']);
    expect(answer.text).toContain('/settings/security');
    expect(await snapshot(harness)).toEqual(before);
    expect(await isSignedIn(eve)).toBe(true);
  });

  test.each<[string, (visitor: Visitor, served: Served) => Promise<unknown>]>([
    ['nobody is signed in', (visitor) => visitor.fill('/settings/security', '/logout')],
    [
      'somebody else is signed in',
      async (visitor, served) => {
        const eve = await signIn(served, await givenPerson(harness));
        visitor.cookies.set('finance.session', eve.cookies.get('finance.session') ?? '');
        visitor.cookies.set('finance.session.sig', eve.cookies.get('finance.session.sig') ?? '');
      },
    ],
  ])('connects nothing when %s any more', async (_, change) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    const back = await goThrough(visitor, acme, { page: '/settings/security' });
    await change(visitor, served);

    const answer = await visitor.get(back);

    expect([answer.status, await lastReason(), await identities()]).toEqual([403, 'link_refused', []]);
  });

  test('offers nothing to strangers', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const page = await visitor.get('/sessions/new');

    const answer = await visitor.submit(page, '/auth/acme', { purpose: 'link' });

    expect([answer.status, acme.requests]).toEqual([401, []]);
  });

  test('disconnects, records it, and ends the other sessions that came through it', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = await signIn(served, ada);
    await connect(visitor);
    const { visitor: other } = await signInThrough(served, acme);
    const [identity] = await identities();
    const action = `/settings/identities/${identity?.id}/disconnect`;

    const answer = await visitor.fill('/settings/security', action);

    expect(answer.text).toContain('The account is disconnected');
    expect([await isSignedIn(visitor), await isSignedIn(other), await identities()]).toEqual([
      true,
      false,
      [],
    ]);
    expect((await recorded(harness)).at(-1)).toMatchObject({
      event_type: 'unlink',
      user_id: ada.id,
      provider: 'acme',
      metadata: { subject: SUBJECT },
    });
  });

  test.each([
    { what: 'a password', password: true, localLogin: true, second: false, enabled: true, possible: true },
    {
      what: 'a password that does not count',
      password: true,
      localLogin: false,
      second: false,
      enabled: true,
      possible: false,
    },
    {
      what: 'nothing else',
      password: false,
      localLogin: true,
      second: false,
      enabled: true,
      possible: false,
    },
    {
      what: 'another provider',
      password: false,
      localLogin: true,
      second: true,
      enabled: true,
      possible: true,
    },
    {
      what: 'another provider that is off',
      password: false,
      localLogin: true,
      second: true,
      enabled: false,
      possible: false,
    },
  ])(
    'with $what: disconnecting is possible: $possible',
    async ({ password, localLogin, second, enabled, possible }) => {
      await givenAcme(harness, acme.issuer);
      await givenAcme(harness, acme.issuer, { name: 'umbrella', label: 'Umbrella' });
      await using served = await serveWith(harness, { auth: { localLogin, adminOverride: false } });
      const { visitor } = await signInThrough(served, acme);
      if (password) await harness.query(`update users set password_digest = 'of some kind'`);
      if (second) await connect(visitor, 'umbrella');
      if (!enabled) await harness.query(`update sso_providers set enabled = false where name = 'umbrella'`);
      const [identity] = await identities();
      const action = `/settings/identities/${identity?.id}/disconnect`;
      const page = await visitor.get('/settings/security');
      const token = page.root.querySelector('[name=csrf_token]')?.getAttribute('value') ?? '';

      const answer = await visitor.send(action, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `csrf_token=${encodeURIComponent(token)}`,
      });

      expect(page.root.querySelector(`form[action="${action}"]`) !== null).toBe(possible);
      expect(answer.status).toBe(possible ? 303 : 403);
      expect((await identities()).some(({ id }) => id === identity?.id)).toBe(!possible);
      expect((await eventTypes(harness)).filter((type) => type === 'unlink')).toHaveLength(possible ? 1 : 0);
    },
  );

  test('keeps one of two ways in that are disconnected at the same moment', async () => {
    await givenAcme(harness, acme.issuer);
    await givenAcme(harness, acme.issuer, { name: 'umbrella' });
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const { visitor } = await signInThrough(first, acme);
    await connect(visitor, 'umbrella');
    const [one, two] = await identities();
    const page = await visitor.get('/settings/security');

    const answers = await Promise.all([
      visitor.submit(page, `/settings/identities/${one?.id}/disconnect`),
      elsewhere(visitor, second).submit(page, `/settings/identities/${two?.id}/disconnect`),
    ]);

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 403]);
    expect(await identities()).toHaveLength(1);
  });

  test('disconnects nothing of others', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    const eve = await signIn(served, await givenPerson(harness));
    const [identity] = await identities();
    const token = (await section(eve)).querySelector('[name=csrf_token]')?.getAttribute('value') ?? '';

    for (const id of [identity?.id, 'nonsense']) {
      const answer = await eve.send(`/settings/identities/${id}/disconnect`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `csrf_token=${encodeURIComponent(token)}`,
      });
      expect(answer.status).toBe(404);
    }
    expect(await identities()).toHaveLength(1);
  });

  test('escapes what a provider says of somebody', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const person: Person = await givenPerson(harness);
    const visitor = await signIn(served, person);
    acme.behave = being('<img src=x>', { email: undefined });

    await connect(visitor);

    const { text } = await visitor.get('/settings/security');
    expect(text).toContain('&lt;img src=x&gt;');
    expect(text).not.toContain('<img');
  });
});
