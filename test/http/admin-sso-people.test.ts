import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { deleteUser } from '#src/users/delete-user.ts';
import { inviteUser } from '#src/users/invite-user.ts';
import { dump, givenVisitor, post, problemsOf } from '#test/http/administrator.ts';
import { givenPerson, signIn } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import { type Visited, visit } from '#test/http/visitor.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { givenProvider, MARKER, OIDC } from '#test/sso/given-provider.ts';
import {
  ACCESS_TOKEN,
  type FakeProvider,
  having,
  SUBJECT,
  startFakeProvider,
} from '#test/sso/support/fake-provider.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

async function givenAdmin() {
  const served = await serve(harness.runtime);
  onTestFinished(() => served[Symbol.asyncDispose]());
  const { person, visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
  return { served, person, visitor };
}

const textOf = ({ root }: Visited) => root.querySelector('main')?.text.replaceAll(/\s+/g, ' ') ?? '';

const RULES = { mappings: [{ group: 'Board', role: 'admin' }] };

describe('a user who signs in elsewhere', () => {
  test('is shown with provider, identity and last use, and found by the provider', async () => {
    const { visitor } = await givenAdmin();
    await givenProvider(harness);
    const ada = await givenPerson(harness, { password: null });
    const bob = await givenPerson(harness);
    await givenIdentity(harness, { userId: ada.id, subject: '<i>ada</i>' });

    const page = await visitor.get(`/admin/users/${ada.id}`);
    const found = textOf(await visitor.get('/admin/users?method=okta'));
    const unknown = await visitor.get('/admin/users?method=nobody');

    expect(textOf(page)).toMatch(/okta .*2026-01-02 03:04/);
    expect(page.text).toContain('&lt;i&gt;ada&lt;/i&gt;');
    expect(found).toContain(ada.email);
    expect(found).not.toContain(bob.email);
    expect(unknown.status).toBe(422);
  });

  test('gets the role of the groups, and the page says which and from when', async () => {
    const { visitor, person } = await givenAdmin();
    await givenProvider(harness, { role_mapping: RULES });
    const ada = await givenPerson(harness);
    await givenIdentity(harness, { userId: ada.id, groups: ['Board'] });

    const path = `/admin/users/${ada.id}`;
    const page = await visitor.submit(await visitor.get(path), `${path}/sync_roles`);

    expect(page.status).toBe(200);
    expect(textOf(page)).toMatch(/Member → Family admin.* Groups ?Board.*2026-01-02 03:04 UTC/);
    const [event] = await harness.query(
      `select actor_id, metadata from audit_events where event_type = 'role_changed' and user_id = $1`,
      [ada.id],
    );
    expect(event).toMatchObject({ actor_id: person.id, metadata: { new: 'admin', reason: 'sso_groups' } });
  });

  test('keeps the role when nobody else is a super admin', async () => {
    const { visitor, person } = await givenAdmin();
    await givenProvider(harness, { role_mapping: RULES });
    await givenIdentity(harness, { userId: person.id });

    const page = await post(visitor, `/admin/users/${person.id}/sync_roles`);

    expect(textOf(page)).toContain('the last active super admin');
    expect((await visitor.get('/admin/users')).status).toBe(200);
  });

  test('without an identity has no role to sync', async () => {
    const { visitor } = await givenAdmin();
    const ada = await givenPerson(harness);
    const before = await dump(harness);

    const page = await post(visitor, `/admin/users/${ada.id}/sync_roles`);

    expect(page.status).toBe(409);
    expect(problemsOf(page).join()).toContain('is not connected with an identity provider');
    expect(await dump(harness)).toEqual(before);
  });

  test('is disconnected, unless there is no other way in', async () => {
    const { visitor } = await givenAdmin();
    await givenProvider(harness);
    const ada = await givenPerson(harness);
    const identity = await givenIdentity(harness, { userId: ada.id });
    const bob = await givenPerson(harness, { password: null });
    const only = await givenIdentity(harness, { userId: bob.id });

    const refused = await post(visitor, `/admin/users/${bob.id}/identities/${only}/disconnect`);
    const foreign = await post(visitor, `/admin/users/${ada.id}/identities/${only}/disconnect`);
    const done = await visitor.fill(
      `/admin/users/${ada.id}`,
      `/admin/users/${ada.id}/identities/${identity}/disconnect`,
    );

    expect([refused.status, foreign.status, done.status]).toEqual([403, 404, 200]);
    expect(problemsOf(refused).join()).toContain('only way to sign in');
    expect(textOf(done)).toContain('Not connected with an identity provider');
    expect(await harness.query('select id from identities')).toEqual([{ id: only }]);
  });
});

describe('the identities of deleted users', () => {
  test('are listed, and unblocked with one click, which is recorded', async () => {
    const { visitor, person } = await givenAdmin();
    await givenProvider(harness);
    const eve = await givenPerson(harness);
    await givenIdentity(harness, { userId: eve.id, subject: 'eve' });
    await harness.perform((work) => deleteUser(work, { user: eve.id, confirmation: eve.email }));

    const page = await visitor.get('/admin/users/blocked');
    const done = await visitor.submit(page, '/admin/users/blocked/unblock');
    const again = await post(visitor, '/admin/users/blocked/unblock', { provider: 'okta', subject: 'eve' });

    expect(textOf(page)).toContain(`${eve.email} okta eve`);
    expect(done).toMatchObject({ status: 303, location: '/admin/users/blocked?notice=identity_unblocked' });
    expect(again.status).toBe(404);
    expect(await harness.query('select 1 from blocked_identities')).toEqual([]);
    const events = await harness.query(
      `select actor_id, provider, metadata from audit_events where event_type = 'identity_unblocked' and actor_id = $1`,
      [person.id],
    );
    expect(events).toEqual([{ actor_id: person.id, provider: 'okta', metadata: { subject: 'eve' } }]);
  });
});

describe('trying a sign-in', () => {
  let fake: FakeProvider;
  beforeEach(async () => {
    fake = await startFakeProvider();
  });
  afterEach(() => fake.close());

  const givenOkta = () =>
    givenProvider(harness, {
      issuer: fake.issuer,
      client_id: 'finance-app',
      role_mapping: { mappings: [...RULES.mappings, { group: 'staff', role: 'member' }] },
    });

  test('shows claims, rules, role and what would happen, and changes nothing', async () => {
    const { visitor } = await givenAdmin();
    await givenOkta();
    fake.behave = {
      userInfo: having({ email_verified: true, groups: ['board', 'staff'], note: '<b>hi</b>' }),
    };
    const before = await dump(harness);

    const sent = await visitor.submit(
      await visitor.get('/admin/sso_providers'),
      '/admin/sso_providers/okta/try',
    );
    const back = fake.authorize(new URL(sent.location));
    const page = await visitor.get(back.pathname + back.search);

    expect(sent.status).toBe(303);
    expect(page.status).toBe(200);
    expect(textOf(page)).toContain('Makes an account for ada@example.com');
    expect(textOf(page)).toContain('is not in group "Board" (only upper and lower case differ)');
    expect(textOf(page)).toContain('mappings[1] Matches');
    expect(page.text).toContain('&lt;b&gt;hi&lt;/b&gt;');
    expect(page.text).toContain(SUBJECT);
    for (const secret of [ACCESS_TOKEN, 'refresh-token-of-ada', MARKER])
      expect(page.text).not.toContain(secret);
    expect(await dump(harness)).toEqual(before);
    expect((await visitor.get('/admin/users')).status).toBe(200);
  });

  test('shows nothing to somebody who is no super admin any more', async () => {
    const { visitor, person } = await givenAdmin();
    await givenOkta();
    const sent = await post(visitor, '/admin/sso_providers/okta/try');
    await harness.query(`update users set role = 'admin' where id = $1`, [person.id]);

    const back = fake.authorize(new URL(sent.location));
    const page = await visitor.get(back.pathname + back.search);

    expect(page.status).toBe(403);
    expect(page.text).not.toContain(SUBJECT);
  });

  test('says what a sign-in would have been refused for, and records and changes nothing', async () => {
    const { visitor } = await givenAdmin();
    await givenOkta();
    fake.behave = { claims: having({ iss: 'https://evil.test' }) };
    const before = await dump(harness);

    const sent = await post(visitor, '/admin/sso_providers/okta/try');
    const back = fake.authorize(new URL(sent.location));
    const page = await visitor.get(back.pathname + back.search);

    expect(page.status).toBe(409);
    expect(problemsOf(page).join()).toContain('names another issuer');
    expect(page.root.querySelectorAll('main code').map(({ text }) => text)).toEqual(
      expect.arrayContaining(['issuer_mismatch', page.headers.get('x-request-id')]),
    );
    const links = page.root.querySelectorAll('main a').map((link) => link.getAttribute('href'));
    expect(links).toEqual(['/admin/sso_providers', '/admin/sso_providers/okta/edit']);
    expect(await dump(harness)).toEqual(before);
  });

  test('foresees an invitation, and an account that was connected through another issuer', async () => {
    const { visitor, person } = await givenAdmin();
    await givenOkta();
    const actor = { kind: 'web', userId: person.id } as const;
    const invitation = { email: 'ada@example.com', role: 'admin', familyId: person.familyId };
    await harness.perform((work) => inviteUser({ ...work, actor }, invitation));
    fake.behave = { userInfo: having({ email_verified: true, groups: [] }) };
    const tryIt = async () => {
      const sent = await post(visitor, '/admin/sso_providers/okta/try');
      const { pathname, search } = fake.authorize(new URL(sent.location));
      return textOf(await visitor.get(pathname + search));
    };

    const invited = await tryIt();
    await givenIdentity(harness, { userId: person.id, subject: SUBJECT, issuer: 'https://old.example.com' });
    const moved = await tryIt();

    expect(invited).toContain('Makes an account for ada@example.com, who is invited');
    expect(invited).toContain('Family admin: the invitation decides, because no rule does');
    expect(moved).toContain('Is refused: Your account was connected through another issuer');
  });

  test.each<[string, (back: string) => string | Promise<string>, RegExp]>([
    [
      'the provider refuses',
      (back) => back.replace(/code=[^&]*/, 'error=access_denied&error_description=evil'),
      /cancelled or refused at the identity provider/,
    ],
    [
      'the provider was disabled meanwhile',
      async (back) => {
        await harness.query('update sso_providers set enabled = false');
        return back;
      },
      /turned off/,
    ],
  ])('says so when %s', async (_, change, sentence) => {
    const { visitor } = await givenAdmin();
    await givenOkta();
    const sent = await post(visitor, '/admin/sso_providers/okta/try');
    const { pathname, search } = fake.authorize(new URL(sent.location));
    const back = await change(pathname + search);
    const events = await harness.query('select 1 from audit_events');

    const page = await visitor.get(back);

    expect(page.status).toBe(409);
    expect(problemsOf(page).join()).toMatch(sentence);
    expect(page.text).not.toContain('evil');
    expect(await harness.query('select 1 from audit_events')).toEqual(events);
  });

  test.each([
    ['another super admin', 'super_admin'],
    ['an admin of a family', 'admin'],
    ['nobody', undefined],
  ])('is not finished by %s in the same browser, and asks the provider nothing', async (_, role) => {
    const { served, visitor } = await givenAdmin();
    await givenOkta();
    const other =
      role === undefined ? visit(served) : (await givenVisitor(harness, served, { role })).visitor;
    const before = await dump(harness);
    const sent = await post(visitor, '/admin/sso_providers/okta/try');
    const { pathname, search } = fake.authorize(new URL(sent.location));
    other.cookies.set('finance.visitor', visitor.cookies.get('finance.visitor') ?? '');
    fake.requests.length = 0;

    const page = await other.get(pathname + search);

    expect(page.status).toBe(403);
    expect(page.text).not.toContain(SUBJECT);
    expect(fake.requests).toEqual([]);
    expect(await dump(harness)).toEqual(before);
  });

  test.each([
    ['in another browser of the same super admin', 'select 1', true],
    ['too late', `update pending_logins set expires_at = now() - interval '1 second'`, false],
  ])('is not finished %s, which is no failed sign-in', async (_, change, isElsewhere) => {
    const { served, visitor, person } = await givenAdmin();
    await givenOkta();
    const sent = await post(visitor, '/admin/sso_providers/okta/try');
    const { pathname, search } = fake.authorize(new URL(sent.location));
    const browser = isElsewhere ? await signIn(served, person) : visitor;
    await harness.query(change);
    fake.requests.length = 0;
    const events = await harness.query('select 1 from audit_events');

    const page = await browser.get(pathname + search);

    expect([page.status, page.text.includes(SUBJECT), fake.requests]).toEqual([403, false, []]);
    expect(textOf(page)).toContain('took too long, or was begun in another browser');
    expect(await harness.query('select 1 from audit_events')).toEqual(events);
  });

  test('says why it cannot begin', async () => {
    const { visitor } = await givenAdmin();
    await givenOkta();
    await fake.close();

    const page = await post(visitor, '/admin/sso_providers/okta/try');

    expect(page.status).toBe(409);
    expect(problemsOf(page).join()).toContain('cannot be reached');
    fake = await startFakeProvider();
  });
});

describe('the settings of a provider', () => {
  const EDIT = '/admin/sso_providers/okta/edit';

  test('that would shut out linked users are saved only by somebody who insists', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    const { issuer } = OIDC;
    await givenProvider(harness);
    await givenIdentity(harness, { userId: person.id, issuer });
    const changes = { issuer: 'https://elsewhere.example.com', skip_verify: 'true' };
    const issuers = () => harness.query(`select settings ->> 'issuer' as issuer from sso_providers`);

    const first = await visitor.get(EDIT);
    const refused = await visitor.submit(first, EDIT, changes);
    const unchanged = await issuers();
    const insisted = await visitor.submit(refused, EDIT, { ...changes, force_linked: 'true' });

    expect(first.root.querySelector('#force_linked')).toBeNull();
    expect(refused.status).toBe(403);
    expect(problemsOf(refused)).toEqual([expect.stringContaining('1 user is linked with okta')]);
    expect(unchanged).toEqual([{ issuer }]);
    expect(insisted.status).toBe(303);
    expect(await issuers()).toEqual([{ issuer: changes.issuer }]);
  });

  test('can be given another secret when the stored one cannot be decrypted', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    await givenProvider(harness);
    await harness.query(`update sso_providers set secrets = '{"client_secret": "v1.nonsense"}'`);
    const list = () => visitor.get('/admin/sso_providers');

    const page = await visitor.get(EDIT);
    const without = await visitor.submit(page, EDIT, { label: 'Still lost' });
    const saved = await visitor.submit(page, EDIT, { client_secret: MARKER });

    expect(page.status).toBe(200);
    expect(problemsOf(page)).toEqual([expect.stringContaining('not encrypted as it should be')]);
    expect(page.text).toContain('What is stored cannot be read');
    expect(without.status).toBe(422);
    expect(problemsOf(without)).toEqual([expect.stringContaining('Client secret')]);
    expect(saved.status).toBe(303);
    expect((await list()).text).not.toContain('Cannot work');
  });
});
