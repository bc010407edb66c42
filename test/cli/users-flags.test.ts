import { expect, test } from 'vitest';
import { givenPerson } from '#test/http/people.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { givenProvider } from '#test/sso/given-provider.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const cli = (argv: string[], { env = {}, ...options }: CliOptions = {}) =>
  runCli(['users', ...argv], {
    runtime: harness.runtime,
    env: { AUTH_PROVIDERS_SOURCE: 'db', ...env },
    ...options,
  });

/** Root, and Ada and Bob, who come from a provider whose group "board" makes admins. */
async function givenPeople() {
  // Nobody answers there.
  const issuer = 'http://127.0.0.1:1';
  await givenProvider(harness, { issuer, role_mapping: { mappings: [{ group: 'board', role: 'admin' }] } });
  const { familyId } = await givenPerson(harness, { email: 'root@example.com', role: 'super_admin' });
  const ada = await givenPerson(harness, { email: 'ada@example.com', familyId });
  const bob = await givenPerson(harness, { email: 'bob@example.com', familyId });
  await givenIdentity(harness, { userId: ada.id, subject: 'ada', groups: ['board'], refreshToken: 'token' });
  await givenIdentity(harness, { userId: bob.id, subject: 'bob' });
  return { ada, bob };
}

const emailsOf = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout).map(({ email }: { email: string }) => email);

test('list --provider shows who is connected with it, by name or id, and goes with --method', async () => {
  const { bob } = await givenPeople();
  await harness.query('update users set password_digest = null where id = $1', [bob.id]);

  expect(emailsOf(await cli(['list', '--provider', 'okta', '--json']))).toEqual([
    'ada@example.com',
    'bob@example.com',
  ]);
  expect(emailsOf(await cli(['list', '--provider', 'okta', '--method', 'password', '--json']))).toEqual([
    'ada@example.com',
  ]);
  expect((await cli(['list', '--provider', 'otka'])).exitCode).toBe(3);
  expect((await cli(['list', '--provider', 'okta', '--method', 'okta'])).exitCode).toBe(2);
});

test('create --invite is an invitation, with role and family', async () => {
  await givenPeople();

  const { exitCode, stdout, stderr } = await cli([
    'create',
    '--email',
    'eve@example.com',
    '--role',
    'admin',
    '--invite',
  ]);

  expect(exitCode, stderr).toBe(0);
  expect(stdout).toMatch(/^http:\/\/localhost:3000\/invitation\S+\n$/);
  expect(await harness.query('select email, role from invitations')).toEqual([
    { email: 'eve@example.com', role: 'admin' },
  ]);
  expect(await harness.query(`select 1 from users where email = 'eve@example.com'`)).toEqual([]);
  const both = await cli(['create', '--email', 'x@example.com', '--invite', '--first-name', 'X']);
  expect(both.exitCode).toBe(2);
});

test('delete is not done by --yes alone', async () => {
  await givenPeople();

  const { exitCode, stderr } = await cli(['delete', 'ada@example.com', '--yes']);

  expect(exitCode).toBe(2);
  expect(stderr).toContain('--confirm EMAIL');
  expect(await harness.query(`select 1 as one from users where email = 'ada@example.com'`)).toHaveLength(1);
});

test.each([
  ['ada@example.com', 'super_admin', 'the next sign-in through okta makes it admin again'],
  ['ada@example.com', 'admin', undefined],
  ['bob@example.com', 'admin', 'the next sign-in through okta makes it member again'],
  ['bob@example.com', 'member', undefined],
  ['root@example.com', 'super_admin', undefined],
])('role of %s to %s warns: %s', async (user, role, warning) => {
  await givenPeople();

  const { exitCode, stderr } = await cli(['role', user, role]);

  expect(exitCode, stderr).toBe(0);
  if (warning === undefined) expect(stderr).not.toContain('warning');
  else expect(stderr).toContain(`warning: ${warning}`);
});

test('role changes also where the file of providers cannot be read', async () => {
  await givenPeople();
  const env = { AUTH_PROVIDERS_SOURCE: 'yaml', AUTH_PROVIDERS_FILE: '/nowhere/auth.yml' };

  const { exitCode, stderr } = await cli(['role', 'ada@example.com', 'super_admin'], { env });

  expect(exitCode, stderr).toBe(0);
});

test('sync-roles --from stored asks nobody', async () => {
  await givenPeople();

  const stored = await cli(['sync-roles', 'ada@example.com', '--from', 'stored', '--json']);
  const asked = await cli(['sync-roles', 'ada@example.com']);

  expect(stored.exitCode, stored.stderr).toBe(0);
  expect(JSON.parse(stored.stdout)).toMatchObject([{ old: 'member', new: 'admin', from: 'last_sign_in' }]);
  expect(asked.exitCode, asked.stderr).toBe(7);
});

test('set-password --password-stdin takes what is piped in', async () => {
  await givenPeople();
  const argv = ['set-password', 'ada@example.com', '--password-stdin'];

  const { exitCode, stderr } = await cli(argv, { stdin: 'a long and odd password\n' });

  expect(exitCode, stderr).toBe(0);
  expect((await cli(argv)).exitCode).toBe(2);
});
