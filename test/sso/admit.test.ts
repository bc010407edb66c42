import { describe, expect, test } from 'vitest';
import { createFamily } from '#src/ledger/create-family.ts';
import type { Identity } from '#src/sso/connector.ts';
import { admit } from '#src/sso/login/admit.ts';
import type { OAuth2Provider } from '#src/sso/providers/provider.ts';
import { createUser } from '#src/users/create-user.ts';
import { inviteUser } from '#src/users/invite-user.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const PROVIDER: OAuth2Provider = {
  id: 'forge',
  name: 'forge',
  label: 'Forge',
  strategy: 'oauth2',
  enabled: true,
  defaultRole: 'member',
  roleMapping: { mappings: [], conditions: [], hierarchy: {}, customMappings: {} },
  trustEmail: false,
  authorizationUrl: 'https://forge.example/authorize',
  tokenUrl: 'https://forge.example/token',
  userInfoUrl: 'https://forge.example/user',
  clientId: 'finance',
  clientSecret: 'secret',
  scopes: [],
  tokenEndpointAuth: 'client_secret_post',
  attributes: { subject: 'id', email: 'email' },
};

function identity(facts: Partial<Identity>): Identity {
  return {
    subject: '77',
    issuer: null,
    email: 'ada@example.com',
    emailVerified: null,
    firstName: null,
    lastName: null,
    groups: null,
    attributes: {},
    ...facts,
  };
}

function enter(
  facts: Partial<Identity>,
  change: Partial<OAuth2Provider> = {},
  allowedDomains: string[] = [],
) {
  const rules = { mode: 'create_and_link' as const, allowedDomains, currency: 'EUR' };
  return harness.perform((work) =>
    admit(work, { provider: { ...PROVIDER, ...change }, identity: identity(facts), rules }),
  );
}

const roles = async () =>
  (await harness.query<{ role: string }>('select role from users order by created_at, id')).map(
    ({ role }) => role,
  );

describe('an address that an OAuth 2.0 provider', () => {
  test.each<[string, Partial<Identity>, string[]]>([
    ['says nothing of', {}, ['super_admin']],
    ['vouches for', { emailVerified: true }, ['super_admin']],
    ['calls unverified', { emailVerified: false }, []],
  ])('%s redeems an invitation, unless it was the last', async (_, facts, wanted) => {
    await harness.perform(async (work) => {
      const { id: familyId } = await createFamily(work, { name: 'Host', currency: 'EUR' });
      await inviteUser(work, { email: 'ada@example.com', familyId, role: 'super_admin' });
    });

    const entering = enter(facts);

    if (wanted.length === 0) await expect(entering).rejects.toMatchObject({ reason: 'email_unverified' });
    else await entering;
    expect(await roles()).toEqual(wanted);
  });

  test('calls unverified belongs to no allowed domain; one it says nothing of does', async () => {
    const unverified = enter({ emailVerified: false }, {}, ['example.com']);
    await expect(unverified).rejects.toMatchObject({ reason: 'email_unverified' });
    await expect(enter({}, {}, ['example.org'])).rejects.toMatchObject({ reason: 'domain_not_allowed' });
    await enter({}, {}, ['example.com']);

    expect(await roles()).toEqual(['admin']);
  });
});

test('a member does not become the founder of a family when the founder has gone', async () => {
  const mapped = {
    roleMapping: { ...PROVIDER.roleMapping, mappings: [{ group: 'owners', role: 'super_admin' as const }] },
  };
  await enter({ emailVerified: true });
  const [founder] = await harness.query<{ id: string; family_id: string }>('select id, family_id from users');
  await harness.perform((work) =>
    inviteUser(work, { email: 'bob@example.com', familyId: founder?.family_id ?? '', role: 'member' }),
  );
  const bob = { subject: '78', email: 'bob@example.com', emailVerified: true };
  await enter(bob, mapped);
  await enter({ emailVerified: true }, mapped);
  const before = await roles();
  await harness.query('delete from users where id = $1', [founder?.id]);

  await enter(bob, mapped);

  expect([before, await roles()]).toEqual([['admin', 'member'], ['member']]);
});

test.each([
  ['a name with marks of direction', { lastName: 'Co\u200fhen' }, 'Cohen'],
  ['nothing but marks', { lastName: '\u200f' }, 'ada'],
])('%s keeps nobody out', async (_, facts, name) => {
  await enter({ emailVerified: true, ...facts });

  expect(await harness.query('select name from families')).toEqual([{ name }]);
});

test.each<[string, string[], string, string]>([
  ['no rule matches', ['others'], 'admin', 'member'],
  ['a rule matches', ['owners'], 'super_admin', 'super_admin'],
])(
  'an invitation decides the role of the first sign-in alone, unless a rule does: %s',
  async (_, groups, first, later) => {
    const mapped = {
      roleMapping: { ...PROVIDER.roleMapping, mappings: [{ group: 'owners', role: 'super_admin' as const }] },
    };
    await harness.perform(async (work) => {
      const { id: familyId } = await createFamily(work, { name: 'Host', currency: 'EUR' });
      await inviteUser(work, { email: 'ada@example.com', familyId, role: 'admin' });
      await createUser(work, { email: 'root@example.com', familyId, role: 'super_admin' });
    });
    const ada = { emailVerified: true, groups };

    await enter(ada, mapped);
    const before = await roles();
    await enter(ada, mapped);

    expect(before).toEqual(['super_admin', first]);
    expect(await roles()).toEqual(['super_admin', later]);
  },
);
