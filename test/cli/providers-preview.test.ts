import { describe, expect, test } from 'vitest';
import { createFamily } from '#src/ledger/create-family.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { createUser } from '#src/users/create-user.ts';
import { inviteUser } from '#src/users/invite-user.ts';
import { givenProvider, OAUTH2, SAML } from '#test/sso/given-provider.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const run = (said: unknown, { env = {} }: CliOptions = {}, flags: string[] = []) =>
  runCli(['providers', 'preview', 'okta', '--claims', '-', ...flags], {
    runtime: harness.runtime,
    env: { AUTH_PROVIDERS_SOURCE: 'db', ...env },
    stdin: typeof said === 'string' ? said : JSON.stringify(said),
  });

async function preview(said: Record<string, unknown>, options: CliOptions = {}) {
  const { exitCode, stdout, stderr } = await run(said, options, ['--json']);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe('providers preview', () => {
  const mapping = {
    mappings: [
      { group: 'Finance-Admins', role: 'admin' },
      { group: 'finance-admins', role: 'super_admin' },
    ],
  };
  const claims = {
    sub: '1',
    email: 'ann@example.com',
    email_verified: true,
    groups: ['Finance-Admins', 'staff'],
  };
  test('says groups, rules, role and account, in the order people ask', async () => {
    await givenProvider(harness, { role_mapping: mapping });

    const text = (await run(claims)).stdout.trim();

    expect(text.split('\n').map((line) => line.trimEnd())).toEqual([
      'groups in claims  Finance-Admins, staff',
      'mappings[0]       matched: is in group "Finance-Admins" -> admin',
      'mappings[1]       no match: is not in group "finance-admins" (case differs) -> super_admin',
      'role              admin (the highest of all that match)',
      'account           create ann@example.com',
    ]);
  });

  test.each<[string, Record<string, unknown>, Record<string, string>, Record<string, unknown>]>([
    [
      'creation is off',
      {},
      { AUTH_JIT_MODE: 'link_only' },
      { outcome: 'refuse', reason: 'account_creation_disabled' },
    ],
    [
      'the domain is another',
      {},
      { ALLOWED_OIDC_DOMAINS: 'example.org' },
      { outcome: 'refuse', reason: 'domain_not_allowed' },
    ],
    [
      'nobody says it is verified',
      { email_verified: undefined },
      {},
      { outcome: 'refuse', reason: 'email_unverified' },
    ],
    ['there is no email', { email: undefined }, {}, { outcome: 'refuse', reason: 'email_missing' }],
    [
      'somebody has the email',
      { email: 'ADA@example.com' },
      {},
      { outcome: 'link', email: 'ada@example.com', has_password: false },
    ],
    ['somebody has the identity', { sub: 'known' }, {}, { outcome: 'sign_in', email: 'ada@example.com' }],
    [
      'the identity is of another issuer',
      { sub: 'moved' },
      {},
      { outcome: 'refuse', reason: 'issuer_changed' },
    ],
    ['the identity is blocked', { sub: 'blocked' }, {}, { outcome: 'refuse', reason: 'identity_blocked' }],
    [
      'somebody is suspended',
      { email: 'eve@example.com' },
      {},
      { outcome: 'refuse', reason: 'user_suspended' },
    ],
  ])('of the account when %s', async (_, said, env, account) => {
    await givenProvider(harness, { role_mapping: mapping });
    await harness.perform(async (work) => {
      const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
      const { id } = await createUser(work, { familyId, email: 'ada@example.com' });
      await createUser(work, { familyId, email: 'eve@example.com' });
      await work.sql(`update users set suspended_at = now() where email = 'eve@example.com'`);
      await work.sql(
        `insert into identities (id, user_id, provider, subject, issuer, groups, attributes, created_at)
         select gen_random_uuid(), $1, 'okta', subject, issuer, '[]', '{}', now()
         from (values ('known', 'https://example.okta.com'), ('moved', 'https://old.okta.com')) i (subject, issuer)`,
        [id],
      );
      await work.sql(`insert into blocked_identities values ('okta', 'blocked', null, now())`);
    });

    expect(await preview({ ...claims, ...said }, { env })).toMatchObject({ account, role: 'admin' });
  });

  test.each([
    [{ email_verified: undefined }, {}, /has not verified your email address/, /set trust_email/],
    [{}, { ALLOWED_OIDC_DOMAINS: 'example.org' }, /addresses of your domain/, /ALLOWED_OIDC_DOMAINS, or/],
  ])('of a refusal, in a sentence and with what to change: %j %j', async (said, env, sentence, remedy) => {
    await givenProvider(harness);

    const { stdout } = await run({ ...claims, ...said }, { env });

    const [account, change] = stdout.trim().split('\n').slice(-2);
    expect(account).toMatch(/^account +refuse: [A-Z]/);
    expect(account).toMatch(sentence);
    expect(change).toMatch(/^to change +/);
    expect(change).toMatch(remedy);
  });

  test.each([
    ['saml', SAML, 'an invitation', { outcome: 'create', invited: true }],
    ['saml', SAML, 'the list of domains', { outcome: 'create', invited: false }],
    ['oauth2', OAUTH2, 'an invitation', { outcome: 'create', invited: true }],
    ['oauth2', OAUTH2, 'the list of domains', { outcome: 'create', invited: false }],
  ])('of an email that nothing is said of: $0, where $2 decides', async (_, fields, decides, account) => {
    await harness.perform(async (work) => {
      await createProvider(work, { ...fields, name: 'okta' });
      if (decides !== 'an invitation') return;
      const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
      await inviteUser(work, { email: 'ann@example.com', familyId, role: 'admin' });
    });
    const env = decides === 'an invitation' ? {} : { ALLOWED_OIDC_DOMAINS: 'example.com' };

    expect(await preview({ id: 1, email: 'ann@example.com' }, { env })).toMatchObject({ account });
  });

  test('of a role that nothing maps', async () => {
    await givenProvider(harness, { role_mapping: mapping, default_role: 'admin' });
    expect(await preview({ ...claims, groups: [] })).toMatchObject({ outcome: 'no_match', role: 'admin' });

    await harness.query(`update sso_providers set settings = settings - 'role_mapping'`);
    expect(await preview(claims)).toMatchObject({ outcome: 'no_rules', role: 'admin' });
  });

  test('of the role of an invitation, unless a rule decides', async () => {
    await givenProvider(harness, { role_mapping: mapping });
    await harness.perform(async (work) => {
      const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
      await inviteUser(work, { email: 'ann@example.com', familyId, role: 'super_admin' });
    });

    expect(await preview({ ...claims, groups: [] })).toMatchObject({
      outcome: 'no_match',
      role: 'super_admin',
      account: { outcome: 'create', invited: true, invited_as: 'super_admin' },
    });
    expect(await preview(claims)).toMatchObject({ outcome: 'matched', role: 'admin' });
  });

  test.each([['[]'], ['{'], ['null']])('refuses claims that are none: %s', async (stdin) => {
    await givenProvider(harness);

    expect((await run(stdin)).exitCode).toBe(2);
  });
});
