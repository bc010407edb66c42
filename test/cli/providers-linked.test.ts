import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { openProviderSource } from '#src/sso/providers/provider-source.ts';
import { givenPerson } from '#test/http/people.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { givenProvider, MARKER, OAUTH2, OIDC, SAML } from '#test/sso/given-provider.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const ELSEWHERE = 'https://elsewhere.example.com';

async function cli(argv: string[], { env = {}, ...options }: CliOptions = {}) {
  const result = await runCli(['providers', ...argv], {
    runtime: harness.runtime,
    env: { AUTH_PROVIDERS_SOURCE: 'db', ...env },
    ...options,
  });
  expect(result.stdout + result.stderr).not.toContain(MARKER);
  return result;
}

const move = (flags: string[] = [], options: CliOptions = {}) =>
  cli(['update', 'okta', '--issuer', ELSEWHERE, '--skip-verify', ...flags], options);

const entry = (name: string, more = '') =>
  `  - { name: ${name}, strategy: openid_connect, issuer: '${OIDC.issuer}', client_id: finance${more} }\n`;

const migrate = async (yaml: string) =>
  cli(['migrate', '--file', await file(`providers:\n${yaml}`), '--skip-verify', '--json']);

async function file(content: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'finance-linked-')), 'file');
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

const dump = async () =>
  JSON.stringify(
    await harness.query(`select (select json_agg(p order by id) from sso_providers p) as providers,
      (select json_agg(i order by id) from identities i) as identities, (select count(*) from audit_events) as events`),
  );

const settings = async (id: string) =>
  (await harness.query('select settings from sso_providers where id = $1', [id]))[0]?.settings;

const issuers = async () =>
  (await harness.query('select issuer from identities')).map(({ issuer }) => issuer);

/** Somebody who has no password, and so no other way in. */
async function givenLinked(provider: string, { role = 'member', issuer = null as string | null } = {}) {
  const person = await givenPerson(harness, { email: `${role}@example.com`, role });
  await harness.query('update users set password_digest = null where id = $1', [person.id]);
  await givenIdentity(harness, { userId: person.id, provider, issuer });
}

const loseKeys = (id: string) =>
  harness.query(
    `update sso_providers set secrets = '{"client_secret": "v1.0123456789ab.${'A'.repeat(60)}"}' where id = $1`,
    [id],
  );

describe('whom subjects belong to', () => {
  test('is not changed under linked users, unless somebody insists; then links stay, for the way back', async () => {
    await givenProvider(harness);
    await givenLinked('okta', { issuer: OIDC.issuer });
    const before = await dump();

    const refused = await move();
    const rehearsed = await move(['--force-linked', '--dry-run']);
    const unchanged = await dump();
    const insisted = await move(['--force-linked']);
    const moved = await settings('okta');
    const back = await cli(['update', 'okta', '--issuer', OIDC.issuer, '--skip-verify']);

    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('1 user is linked with okta');
    expect(refused.stderr).toContain('--force-linked');
    expect([rehearsed.exitCode, insisted.exitCode, back.exitCode]).toEqual([0, 0, 0]);
    expect(unchanged).toBe(before);
    expect(moved).toMatchObject({ issuer: ELSEWHERE });
    expect(await settings('okta')).toMatchObject({ issuer: OIDC.issuer });
    expect(await issuers()).toEqual([OIDC.issuer]);
  });

  test('may change while nobody is linked', async () => {
    await givenProvider(harness);

    expect((await move()).exitCode).toBe(0);
  });

  test('never changes when no super admin could sign in afterwards', async () => {
    await givenProvider(harness);
    await givenLinked('okta', { role: 'super_admin', issuer: OIDC.issuer });
    const before = await dump();

    const { exitCode, stderr } = await move(['--force-linked']);

    expect(exitCode).toBe(4);
    expect(stderr).toContain('no super admin could sign in');
    expect(await dump()).toBe(before);
  });

  test.each([
    [{ 'userinfo-url': `${ELSEWHERE}/user` }],
    [{ 'token-url': `${ELSEWHERE}/token` }],
    [{ 'subject-attribute': 'login' }],
  ])('of OAuth 2.0 is also %j', async (changes) => {
    await harness.perform((work) => createProvider(work, OAUTH2));
    await givenLinked('github');
    const flags = Object.entries(changes).flatMap(([option, value]) => [`--${option}`, value]);

    const refused = await cli(['update', 'github', ...flags]);
    const insisted = await cli(['update', 'github', ...flags, '--force-linked']);
    const label = await cli(['update', 'github', '--label', 'Forge']);

    expect([refused.exitCode, insisted.exitCode, label.exitCode]).toEqual([4, 0, 0]);
    expect(refused.stderr).toContain('1 user is linked with github');
  });

  test('of OAuth 2.0 is noted at the links, so that nobody signs in with the id of somebody else', async () => {
    await harness.perform((work) => createProvider(work, OAUTH2));
    await givenLinked('github');
    const away = ['update', 'github', '--userinfo-url', `${ELSEWHERE}/user`, '--force-linked'];

    await cli(away);
    const noted = await issuers();
    const back = await cli(['update', 'github', '--userinfo-url', OAUTH2.userinfo_url]);

    expect(noted).toEqual([`${OAUTH2.userinfo_url} id`]);
    expect(back.exitCode).toBe(0);
    expect(await issuers()).toEqual([null]);
  });

  test('of SAML is the entity id', async () => {
    await harness.perform((work) => createProvider(work, SAML));
    await givenLinked('adfs', { issuer: 'urn:adfs' });

    const { exitCode, stderr } = await cli(['update', 'adfs', '--entity-id', 'urn:other']);

    expect(exitCode).toBe(4);
    expect(stderr).toContain('another entity ID');
  });

  test('is not changed by a file either', async () => {
    await givenProvider(harness);
    await givenLinked('okta', { issuer: OIDC.issuer });
    const path = await file(
      `providers:\n  - { name: okta, strategy: openid_connect, issuer: '${ELSEWHERE}', client_id: finance }\n`,
    );
    const argv = ['migrate', '--file', path, '--skip-verify'];

    const refused = await cli(argv);
    const insisted = await cli([...argv, '--force-linked']);

    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('1 user is linked with okta');
    expect(insisted.exitCode).toBe(0);
  });
});

describe('a provider whose secret cannot be decrypted', () => {
  test('can be disabled, also when it was the only way in', async () => {
    await givenProvider(harness);
    await givenLinked('okta', { role: 'super_admin' });
    await loseKeys('okta');

    const { exitCode, stderr } = await cli(['disable', 'okta', '--yes']);

    expect(exitCode, stderr).toBe(0);
    expect(await harness.query('select enabled from sso_providers')).toEqual([{ enabled: false }]);
    expect(
      await harness.query(`select provider from audit_events where event_type = 'provider_disabled'`),
    ).toEqual([{ provider: 'okta' }]);
  });

  test('is given a new one, and nothing else before that', async () => {
    await givenProvider(harness, { group_attribute: 'teams' });
    await loseKeys('okta');

    const label = await cli(['update', 'okta', '--label', 'x']);
    const secret = await cli(['update', 'okta', '--client-secret-file', await file('anew'), '--json']);

    expect(label.exitCode).toBe(5);
    expect(label.stderr).toMatch(/client_secret: must be given anew.*another key[\s\S]*disabled as it is/);
    expect(secret.exitCode, secret.stderr).toBe(0);
    expect(JSON.parse(secret.stdout)).toMatchObject({ changed: ['client_secret'] });
    expect(await (await openProviderSource(harness.runtime)).lookUpByName('okta')).toMatchObject({
      provider: { clientSecret: 'anew', groupAttribute: 'teams' },
    });
  });

  test('is an entry of its own in the plan of a file, and healed by a secret there', async () => {
    await givenProvider(harness);
    await givenProvider(harness, { name: 'same' });
    await loseKeys('okta');

    const refused = await migrate(entry('okta') + entry('same'));
    const healed = await migrate(entry('okta', `, client_secret: anew`) + entry('same'));

    expect(refused.exitCode).toBe(5);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      applied: false,
      steps: [
        { name: 'okta', action: 'error', details: [expect.stringMatching(/another key.*value in the file/)] },
        { name: 'same', action: 'skip' },
      ],
    });
    expect(JSON.parse(healed.stdout)).toMatchObject({
      applied: true,
      steps: [
        { action: 'update', fields: ['client_secret'], details: ['client_secret'] },
        { action: 'skip' },
      ],
    });
  });
});

describe('another way in', () => {
  test.each<[string, () => Promise<unknown>, number]>([
    ['works, SAML included', async () => undefined, 0],
    ['has a secret that cannot be decrypted', () => loseKeys('other'), 4],
    ['is stored in a way that makes no provider', () => harness.query(BROKEN), 4],
    ['has another issuer than the link', () => harness.query(`update identities set issuer = 'x'`), 4],
  ])('counts as it is: it %s', async (_, act, expected) => {
    const fields = { ...SAML, name: 'other', private_key: undefined };
    await givenProvider(harness);
    await harness.perform((work) => createProvider(work, fields));
    await givenLinked('okta');
    await harness.query(
      `insert into identities (id, user_id, provider, subject, issuer, groups, attributes, created_at)
       select gen_random_uuid(), user_id, 'other', 'ada', 'urn:adfs', '[]', '{}', now() from identities`,
    );
    await act();

    const { exitCode } = await cli(['disable', 'okta', '--yes']);

    expect(exitCode).toBe(expected);
  });

  test('is none that the database has while the providers of a file are in use', async () => {
    await givenProvider(harness);
    await givenLinked('okta');
    const path = await file(
      `providers:\n  - { name: okta, strategy: openid_connect, issuer: '${OIDC.issuer}', client_id: finance }\n`,
    );
    const env = { AUTH_PROVIDERS_SOURCE: 'yaml', AUTH_PROVIDERS_FILE: path };

    const disabled = await cli(['disable', 'okta', '--yes'], { env });
    const deleted = await cli(['delete', 'okta', '--yes'], { env });
    const unread = { ...env, AUTH_PROVIDERS_FILE: `${path}.gone` };
    const deletedWithoutFile = await cli(['delete', 'okta', '--yes'], { env: unread });

    expect(disabled.exitCode, disabled.stderr).toBe(0);
    expect(deleted.exitCode).toBe(4);
    expect(deleted.stderr).toContain('the only way in for member@example.com');
    expect(deletedWithoutFile.exitCode, deletedWithoutFile.stderr).toBe(0);
  });
});

describe('a provider of the file in use', () => {
  test.each([['keygen'], ['update', '--label', 'x'], ['enable'], ['disable', '--yes'], ['delete', '--yes']])(
    'is not for %s, which says where it is changed',
    async (verb, ...flags) => {
      const path = await file(`providers:\n${entry('okta', ', id: company')}`);
      const env = { AUTH_PROVIDERS_SOURCE: 'yaml', AUTH_PROVIDERS_FILE: path };

      const named = await cli([verb, 'okta', ...flags], { env });
      const byId = await cli([verb, 'company', ...flags], { env });
      const absent = await cli([verb, 'nobody', ...flags], { env });
      const inDatabase = await cli([verb, 'okta', ...flags]);

      expect([named, byId, absent, inDatabase].map(({ exitCode }) => exitCode)).toEqual([4, 4, 3, 3]);
      expect(named.stderr).toContain(`The provider "okta" comes from ${path}, and is changed there`);
      expect(named.stderr).toContain('financectl providers migrate');
      expect(absent.stderr).toContain('No provider in the database is named "nobody"');
    },
  );
});

const BROKEN = `update sso_providers set settings = settings - 'certificate' where id = 'other'`;
