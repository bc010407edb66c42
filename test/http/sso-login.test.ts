import { describe, expect, test } from 'vitest';
import { createFamily } from '#src/ledger/create-family.ts';
import { deleteUser } from '#src/users/delete-user.ts';
import { inviteUser } from '#src/users/invite-user.ts';
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
import { givenPerson, serveWith, signIn } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import { visit } from '#test/http/visitor.ts';
import { SUBJECT } from '#test/sso/support/fake-provider.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const acme = await useFakeProvider();

const users = () =>
  harness.query<Record<string, unknown>>(
    'select id, family_id, email, first_name, last_name, role, password_digest, profile from users order by email',
  );
const insertAda = (family: string, email = 'ada@example.com') =>
  `insert into users (id, family_id, email, role, created_at, updated_at)
   select gen_random_uuid(), '${family}', '${email}', 'member', now(), now()`;
const lastReason = async () => (await recorded(harness)).at(-1)?.metadata.reason;

describe('the first sign-in at a provider', () => {
  test('makes user, family and identity, begins on one process and ends on another', async () => {
    await givenAcme(harness, acme.issuer);
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    acme.behave = saying({ given_name: 'Ada', family_name: 'Lovelace' });
    const visitor = visit(first);
    const back = await goThrough(visitor, acme, { page: '/sessions/new?return_to=/settings/api_keys' });

    const other = elsewhere(visitor, second);
    const answer = await other.get(back, { 'X-Request-Id': 'the-request' });

    expect(answer).toMatchObject({ status: 303, location: '/settings/api_keys' });
    expect([await isSignedIn(other), await isSignedIn(elsewhere(other, first))]).toEqual([true, true]);
    const [ada] = await users();
    expect(ada).toMatchObject({
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Lovelace',
      role: 'admin',
      password_digest: null,
    });
    expect(await harness.query('select name, currency from families')).toEqual([
      { name: 'Lovelace', currency: harness.runtime.config.sso.currency },
    ]);
    expect(await harness.query('select user_id, provider, subject, issuer, email from identities')).toEqual([
      { user_id: ada?.id, provider: 'acme', subject: SUBJECT, issuer: acme.issuer, email: 'ada@example.com' },
    ]);
    expect(await recorded(harness)).toMatchObject([
      { event_type: 'jit_account_created', user_id: ada?.id, provider: 'acme', request_id: 'the-request' },
      {
        event_type: 'login',
        user_id: ada?.id,
        provider: 'acme',
        request_id: 'the-request',
        metadata: { method: 'openid_connect' },
      },
    ]);
  });

  test('asks for token and user info, and for nothing else once warm', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    acme.requests.length = 0;

    const { answer } = await signInThrough(served, acme);

    expect(answer.location).toBe('/');
    expect(acme.requests).toEqual(['POST /token', 'GET /userinfo']);
    expect(await eventTypes(harness)).toEqual(['jit_account_created', 'login', 'login']);
    expect(await users()).toHaveLength(1);
  });

  test('keeps nothing of the tokens that could be read', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);

    await signInThrough(served, acme);

    const [row] = await harness.query<Record<string, string>>(
      'select id_token, refresh_token from identities',
    );
    expect(row).toEqual({
      id_token: expect.stringMatching(/^v1\./),
      refresh_token: expect.stringMatching(/^v1\./),
    });
    const log = JSON.stringify(await recorded(harness));
    expect(log).not.toMatch(/access-token-of-ada|refresh-token-of-ada|the client secret/);
  });

  test('in many tabs at once makes one account', async () => {
    await givenAcme(harness, acme.issuer);
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const visitors = [first, second, first, second, first].map((served) => visit(served));
    const backs: string[] = [];
    for (const visitor of visitors) backs.push(await goThrough(visitor, acme));

    const answers = await Promise.all(visitors.map((visitor, index) => visitor.get(backs[index] ?? '')));

    expect(answers.map(({ status, location }) => [status, location])).toEqual(answers.map(() => [303, '/']));
    expect([(await users()).length, (await harness.query('select 1 from families')).length]).toEqual([1, 1]);
    expect((await eventTypes(harness)).filter((type) => type === 'jit_account_created')).toHaveLength(1);
  });

  test('of two people with one address at two providers makes one account, and asks the other', async () => {
    await givenAcme(harness, acme.issuer);
    await givenAcme(harness, acme.issuer, { name: 'umbrella' });
    await using served = await serve(harness.runtime);
    const [one, two] = [visit(served), visit(served)];
    const backs = [await goThrough(one, acme), await goThrough(two, acme, { name: 'umbrella' })];

    const answers = await Promise.all([one.get(backs[0] ?? ''), two.get(backs[1] ?? '')]);

    expect(answers.map(({ location }) => location.replace(/=.*/, '')).toSorted()).toEqual([
      '/',
      '/sessions/link?login',
    ]);
    expect(await users()).toHaveLength(1);
  });

  describe('while its address gets a user in another way', () => {
    test.each([
      ['by itself', ''],
      ['by an invitation', `; delete from invitations where email = 'ada@example.com'`],
    ])('%s asks the owner', async (_, alongside) => {
      await givenAcme(harness, acme.issuer);
      const host = await givenPerson(harness, { role: 'super_admin' });
      const actor = { kind: 'web', userId: host.id } as const;
      if (alongside !== '') {
        const invitation = { email: 'ada@example.com', role: 'member', familyId: host.familyId };
        await harness.perform((work) => inviteUser({ ...work, actor }, invitation));
      }
      await using served = await serve(harness.runtime);
      const visitor = visit(served);
      const back = await goThrough(visitor, acme);

      const answer = await meanwhile(harness, insertAda(host.familyId) + alongside, () => visitor.get(back));

      expect([answer.status, answer.location]).toEqual([
        303,
        expect.stringMatching(/^\/sessions\/link\?login=/),
      ]);
      expect((await users()).map(({ email }) => email)).toEqual([host.email, 'ada@example.com'].toSorted());
      expect(await harness.query('select id from families')).toEqual([{ id: host.familyId }]);
      expect((await eventTypes(harness)).filter((type) => type !== 'user_invited')).toEqual([]);
      expect((await visitor.get(answer.location)).text).toContain('a•••@example.com');
    });

    test('that is connected with this identity signs in as that user', async () => {
      const provider = await givenAcme(harness, acme.issuer);
      const host = await givenPerson(harness, { role: 'super_admin' });
      await using served = await serve(harness.runtime);
      const visitor = visit(served);
      const back = await goThrough(visitor, acme);
      const change = `with ada as (${insertAda(host.familyId, 'countess@example.com')} returning id)
        insert into identities (id, user_id, provider, subject, issuer, groups, attributes, created_at)
        select gen_random_uuid(), id, '${provider.id}', '${SUBJECT}', '${acme.issuer}', '[]', '{}', now() from ada`;

      const answer = await meanwhile(harness, change, () => visitor.get(back));

      expect([answer.status, answer.location, await isSignedIn(visitor)]).toEqual([303, '/', true]);
      expect((await users()).map(({ email }) => email)).toEqual(
        [host.email, 'countess@example.com'].toSorted(),
      );
      expect(await eventTypes(harness)).toEqual(['login']);
    });
  });

  test('two tabs of one browser both end as they began', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const [one, two] = [
      await goThrough(visitor, acme, { page: '/sessions/new?return_to=/one' }),
      await goThrough(visitor, acme, { page: '/sessions/new?return_to=/two' }),
    ];

    expect((await visitor.get(two)).location).toBe('/two');
    expect((await visitor.get(one)).location).toBe('/one');
  });
});

describe('whether a stranger gets an account', () => {
  const INVITED = { email: 'ada@example.com', role: 'member' };
  test.each([
    { jitMode: 'create_and_link', domains: [], verified: true, invited: false, outcome: 'admin' },
    { jitMode: 'create_and_link', domains: [], verified: true, invited: true, outcome: 'member' },
    { jitMode: 'create_and_link', domains: [], verified: false, invited: false, outcome: 'email_unverified' },
    {
      jitMode: 'create_and_link',
      domains: [],
      verified: undefined,
      invited: false,
      outcome: 'email_unverified',
    },
    { jitMode: 'create_and_link', domains: [], verified: false, invited: true, outcome: 'email_unverified' },
    {
      jitMode: 'create_and_link',
      domains: ['example.com'],
      verified: true,
      invited: false,
      outcome: 'admin',
    },
    {
      jitMode: 'create_and_link',
      domains: ['le.com'],
      verified: true,
      invited: false,
      outcome: 'domain_not_allowed',
    },
    { jitMode: 'create_and_link', domains: ['le.com'], verified: true, invited: true, outcome: 'member' },
    {
      jitMode: 'link_only',
      domains: [],
      verified: true,
      invited: false,
      outcome: 'account_creation_disabled',
    },
    {
      jitMode: 'link_only',
      domains: ['example.com'],
      verified: true,
      invited: false,
      outcome: 'account_creation_disabled',
    },
    { jitMode: 'link_only', domains: [], verified: true, invited: true, outcome: 'member' },
  ] as const)('$jitMode, domains $domains, verified $verified, invited $invited: $outcome', async (row) => {
    await givenAcme(harness, acme.issuer);
    const host = await givenPerson(harness, { role: 'super_admin' });
    if (row.invited) {
      const actor = { kind: 'web', userId: host.id } as const;
      await harness.perform((work) =>
        inviteUser({ ...work, actor }, { ...INVITED, familyId: host.familyId }),
      );
    }
    const sso = { ...harness.runtime.config.sso, jitMode: row.jitMode, allowedDomains: row.domains };
    await using served = await serveWith(harness, { sso });
    acme.behave = saying({ email_verified: row.verified });
    const before = await snapshot(harness);

    const { answer, visitor } = await signInThrough(served, acme);

    const ada = (await users()).find(({ email }) => email === 'ada@example.com');
    if (row.outcome === 'admin' || row.outcome === 'member') {
      expect(answer.status).toBe(303);
      expect(ada).toMatchObject({ role: row.outcome, ...(row.invited && { family_id: host.familyId }) });
      expect(await harness.query('select 1 from invitations')).toEqual([]);
    } else {
      expect([answer.status, await lastReason()]).toEqual([403, row.outcome]);
      expect(await snapshot(harness)).toEqual(before);
      expect(await isSignedIn(visitor)).toBe(false);
    }
  });

  test.each([
    ['member', 'admin'],
    ['admin', 'admin'],
    ['super_admin', 'super_admin'],
  ])('default role %s: the founder of a family is %s', async (defaultRole, role) => {
    await givenAcme(harness, acme.issuer, { default_role: defaultRole });
    await using served = await serve(harness.runtime);

    await signInThrough(served, acme);

    expect(await users()).toMatchObject([{ role }]);
  });

  test('without an email there is none, and somebody known needs none', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    acme.behave = saying({ email: undefined });
    const stranger = await signInThrough(served, acme);
    const reason = await lastReason();
    acme.behave = saying({});
    await signInThrough(served, acme);
    acme.behave = saying({ email: undefined });

    const known = await signInThrough(served, acme);

    expect([stranger.answer.status, reason, known.answer.status]).toEqual([403, 'email_missing', 303]);
  });

  test.each(['a"b@example.com', 'ada@', 'a@b@example.com'])(
    'an address like %s makes none',
    async (email) => {
      await givenAcme(harness, acme.issuer);
      await using served = await serve(harness.runtime);
      acme.behave = saying({ email });

      const { answer } = await signInThrough(served, acme);

      expect([answer.status, await lastReason()]).toEqual([403, 'email_invalid']);
    },
  );
});

describe('somebody known', () => {
  test('keeps email and names whatever the provider says later, and never becomes somebody else', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const eve = await givenPerson(harness, { email: 'eve@example.com' });
    acme.behave = saying({ given_name: 'Ada' });
    await signInThrough(served, acme);
    acme.behave = saying({ email: eve.email, given_name: 'Eve', family_name: 'King' });

    const { visitor } = await signInThrough(served, acme);

    expect((await visitor.get('/settings/security')).text).toContain('ada@example.com');
    expect((await users()).map(({ email, first_name, last_name }) => [email, first_name, last_name])).toEqual(
      [
        ['ada@example.com', 'Ada', 'King'],
        ['eve@example.com', null, null],
      ],
    );
  });

  test('is told from the same subject at another provider', async () => {
    await givenAcme(harness, acme.issuer);
    await givenAcme(harness, acme.issuer, { name: 'umbrella' });
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    acme.behave = saying({ email: 'other@example.com' });

    await signInThrough(served, acme, { name: 'umbrella' });

    expect((await users()).map(({ email }) => email)).toEqual(['ada@example.com', 'other@example.com']);
  });

  test('stays outside while suspended', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    await harness.perform((work) => suspendUser(work, { user: 'ada@example.com' }));
    const before = await snapshot(harness);

    const { visitor, answer } = await signInThrough(served, acme);

    expect(answer.status).toBe(403);
    expect(answer.text).toContain('suspended');
    expect((await recorded(harness)).at(-1)).toMatchObject({
      event_type: 'login_failed',
      user_id: expect.any(String),
      metadata: { reason: 'user_suspended' },
    });
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await snapshot(harness)).toEqual(before);
  });

  test('stays outside when suspended at the very moment', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    await harness.query('delete from sessions');
    const visitor = visit(served);
    const back = await goThrough(visitor, acme);

    const answer = await meanwhile(harness, 'update users set suspended_at = now()', () => visitor.get(back));

    expect([answer.status, await lastReason()]).toEqual([403, 'user_suspended']);
    expect(await harness.query('select 1 from sessions')).toEqual([]);
  });

  test('is refused when the answer comes from another issuer', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    await harness.query(`update identities set issuer = 'https://old.example.com'`);

    const { answer } = await signInThrough(served, acme);

    expect([answer.status, await lastReason()]).toEqual([403, 'issuer_changed']);
  });

  test('does not come back by themselves once deleted', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    const email = 'ada@example.com';
    await harness.perform((work) => deleteUser(work, { user: email, confirmation: email }));
    await harness.query(
      `insert into blocked_identities (provider, subject, created_at) values ('acme', $1, now())
       on conflict do nothing`,
      [SUBJECT],
    );

    const { answer } = await signInThrough(served, acme);

    expect([answer.status, await lastReason()]).toEqual([403, 'identity_blocked']);
    expect(await users()).toEqual([]);
  });
});

const role = async () => (await users()).find(({ email }) => email === 'ada@example.com')?.role;

describe('roles', () => {
  const MAPPING = {
    mappings: [
      { group: 'Board', role: 'super_admin' },
      { group: 'Staff', role: 'member' },
    ],
  };

  test('follow the groups at every sign-in, the first included', async () => {
    await givenPerson(harness, { role: 'super_admin' });
    const { id: familyId } = await harness.perform((work) =>
      createFamily(work, { name: 'A', currency: 'USD' }),
    );
    await givenPerson(harness, { familyId });
    await givenAcme(harness, acme.issuer, { role_mapping: MAPPING });
    await using served = await serve(harness.runtime);
    const roles: unknown[] = [];
    for (const groups of [['Board', 'Staff'], ['Staff'], ['board'], undefined, 'Board']) {
      acme.behave = saying({ groups });
      await signInThrough(served, acme);
      roles.push(await role());
    }

    expect(roles).toEqual(['super_admin', 'member', 'admin', 'admin', 'super_admin']);
    const changes = (await recorded(harness)).filter(({ event_type }) => event_type === 'role_changed');
    expect(
      changes.map(({ metadata, provider }) => [provider, metadata.old, metadata.new, metadata.reason]),
    ).toEqual([
      ['acme', 'admin', 'super_admin', 'sso_groups'],
      ['acme', 'super_admin', 'member', 'sso_groups'],
      ['acme', 'member', 'admin', 'sso_default'],
      ['acme', 'admin', 'super_admin', 'sso_groups'],
    ]);
  });

  test('never leave the instance without a super admin, and the sign-in goes on', async () => {
    await givenAcme(harness, acme.issuer, { role_mapping: MAPPING });
    await using served = await serve(harness.runtime);
    acme.behave = saying({ groups: ['Board'] });
    await signInThrough(served, acme);
    acme.behave = saying({ groups: ['Staff'] });

    const { answer } = await signInThrough(served, acme);

    expect([answer.status, await role()]).toEqual([303, 'super_admin']);
  });

  test('are left alone without rules', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    await givenPerson(harness, { role: 'super_admin' });
    await harness.query(`update users set role = 'member' where email = 'ada@example.com'`);

    await signInThrough(served, acme);

    expect(await role()).toBe('member');
  });

  test('custom attributes fill what is blank', async () => {
    await givenAcme(harness, acme.issuer, {
      role_mapping: { custom_mappings: { locale: 'locale', 'org.unit': 'profile.unit' } },
    });
    await using served = await serve(harness.runtime);
    acme.behave = saying({ locale: 'en-GB', org: { unit: 'Engines\u0007' } });
    await signInThrough(served, acme);
    acme.behave = saying({ locale: 'de', org: { unit: 'Other' } });

    await signInThrough(served, acme);

    expect(await users()).toMatchObject([{ profile: { locale: 'en-GB', 'profile.unit': 'Engines' } }]);
  });
});

test('signing in kills the session that the browser had', async () => {
  await givenAcme(harness, acme.issuer);
  await using served = await serve(harness.runtime);
  const eve = await givenPerson(harness);
  const visitor = await signIn(served, eve);
  const before = elsewhere(visitor, served);
  acme.behave = being('bob');
  const page = await visitor.get('/settings/security');
  const sent = await visitor.submit(page, '/auth/acme', { purpose: 'login' });
  const { pathname, search } = acme.authorize(new URL(sent.location));

  await visitor.get(pathname + search);

  expect((await visitor.get('/settings/security')).text).toContain('bob@example.com');
  expect(await isSignedIn(before)).toBe(false);
  const log = (await recorded(harness)).slice(-2);
  const bob = log[0]?.user_id;
  expect(log.map(({ event_type, user_id, actor_id }) => [event_type, user_id, actor_id])).toEqual([
    ['jit_account_created', bob, null],
    ['login', bob, bob],
  ]);
});
