import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deleteUser } from '#src/users/delete-user.ts';
import { givenPerson } from '#test/http/people.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { givenProvider } from '#test/sso/given-provider.ts';
import { send, startFakeProvider } from '#test/sso/support/fake-provider.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const cli = (argv: string[], { env = {}, ...options }: CliOptions = {}) =>
  runCli(argv, { runtime: harness.runtime, env: { AUTH_PROVIDERS_SOURCE: 'db', ...env }, ...options });

const RULES = { mappings: [{ group: 'board', role: 'admin' }] };

async function givenPeople() {
  await givenProvider(harness, { role_mapping: RULES });
  const familyId = (await givenPerson(harness, { email: 'root@example.com', role: 'super_admin' })).familyId;
  const ada = await givenPerson(harness, { email: 'ada@example.com', familyId });
  const bob = await givenPerson(harness, { email: 'bob@example.com', familyId, role: 'admin' });
  await givenIdentity(harness, { userId: ada.id, subject: 'ada', groups: ['board'] });
  await givenIdentity(harness, { userId: bob.id, subject: 'bob', groups: [] });
  return { ada, bob };
}

const NAMES = ['ada', 'bob', 'cy', 'dan', 'eve', 'fay'];

const roles = () => harness.query('select email, role from users order by email');

describe('financectl users sync-roles', () => {
  test('prints old and new role, and where the groups are from', async () => {
    await givenPeople();

    const { exitCode, stdout, stderr } = await cli(['users', 'sync-roles', '--all']);

    expect(exitCode, stderr).toBe(0);
    const [heading, ...rows] = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(heading).toEqual(['USER', 'PROVIDER', 'OLD', 'NEW', 'FROM']);
    expect(rows).toEqual([
      ['ada@example.com', 'okta', 'member', 'admin', expect.stringContaining('2026-01-02')],
      ['bob@example.com', 'okta', 'admin', 'member', expect.stringContaining('2026-01-02')],
    ]);
    expect(await roles()).toMatchObject([{ role: 'admin' }, { role: 'member' }, { role: 'super_admin' }]);
  });

  test('saves nothing in a dry run, and shows the same', async () => {
    await givenPeople();
    const before = await roles();

    const dry = await cli(['users', 'sync-roles', '--all', '--dry-run']);
    const after = await roles();
    const wet = await cli(['users', 'sync-roles', '--all']);

    expect(dry.exitCode).toBe(0);
    expect(dry.stderr).toContain('DRY RUN');
    expect(after).toEqual(before);
    expect(dry.stdout).toBe(wet.stdout);
  });

  test('goes on after somebody it refuses, and exits with 6', async () => {
    await givenPeople();

    const { exitCode, stdout, stderr } = await cli([
      'users',
      'sync-roles',
      'root@example.com',
      'ada@example.com',
    ]);

    expect(exitCode).toBe(6);
    expect(stdout).toContain('ada@example.com');
    expect(stderr).toContain('root@example.com is not connected with an identity provider');
  });

  test.each([
    [[], 2, 'a <user> or --all is required'],
    [['--all', 'ada@example.com'], 2, 'contradict'],
    [['root@example.com'], 4, 'is not connected'],
    [['nobody@example.com'], 3, 'No user'],
    [['--all', '--provider', 'nobody'], 3, 'No provider is named'],
  ])('with %j exits with %i', async (argv, expected, text) => {
    await givenPeople();

    const { exitCode, stdout, stderr } = await cli(['users', 'sync-roles', ...argv]);

    expect({ exitCode, stdout }).toEqual({ exitCode: expected, stdout: '' });
    expect(stderr).toContain(text);
  });

  test('gives programs the groups too', async () => {
    await givenPeople();

    const { stdout } = await cli(['users', 'sync-roles', 'ada@example.com', '--provider', 'okta', '--json']);

    expect(JSON.parse(stdout)).toMatchObject([
      { new: 'admin', from: 'last_sign_in', groups: ['board'], kept: false },
    ]);
  });
});

/** Six people and a provider that keeps everybody waiting until four wait; then the last is answered first. */
async function givenWaiting(then: () => void = () => undefined) {
  const fake = await startFakeProvider();
  onTestFinished(() => fake.close());
  const waiting: ServerResponse[] = [];
  let [arrived, most] = [0, 0];
  const answerAll = async () => {
    if (arrived === 4) {
      then();
      // As many questions as a fifth would need to get here too.
      for (let n = 0; n < 10; n += 1) await harness.query('select 1');
    }
    most = Math.max(most, waiting.length);
    for (const each of waiting.splice(0).toReversed()) send(each, 400, { error: 'invalid_grant' });
  };
  fake.behave.routes = {
    '/token': (_, response) => {
      arrived += 1;
      waiting.push(response);
      if (arrived >= 4) void answerAll();
    },
  };
  await givenProvider(harness, { issuer: fake.issuer, role_mapping: RULES });
  for (const name of NAMES) {
    const { id } = await givenPerson(harness, { email: `${name}@example.com`, password: null });
    await givenIdentity(harness, { userId: id, subject: name, issuer: fake.issuer, refreshToken: name });
  }
  return { arrived: () => arrived, most: () => most };
}

describe('many people whose provider is asked again', () => {
  test('are asked about four at a time, and shown in their order', async () => {
    const { arrived, most } = await givenWaiting();

    const { exitCode, stdout, stderr } = await cli(['users', 'sync-roles', '--all', '--no-header']);

    expect(exitCode, stderr).toBe(0);
    expect([arrived(), most()]).toEqual([6, 4]);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('@')[0]),
    ).toEqual(NAMES);
  });

  test('end together when somebody interrupts', async () => {
    const stop = new AbortController();
    const { arrived } = await givenWaiting(() => stop.abort('SIGINT'));
    const before = await roles();

    const { exitCode, stdout } = await cli(['users', 'sync-roles', '--all'], { signal: stop.signal });

    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
    expect(arrived()).toBe(4);
    expect(await roles()).toEqual(before);
  });
});

describe('financectl users unlink', () => {
  test('disconnects, unless it is the only way in', async () => {
    const { ada, bob } = await givenPeople();
    await harness.query('update users set password_digest = null where id = $1', [bob.id]);

    const done = await cli(['users', 'unlink', ada.email, 'okta', '--yes']);
    const refused = await cli(['users', 'unlink', bob.email, 'okta', '--yes']);
    const again = await cli(['users', 'unlink', ada.email, 'okta', '--yes']);
    const unasked = await cli(['users', 'unlink', bob.email, 'okta']);

    expect([done.exitCode, refused.exitCode, again.exitCode, unasked.exitCode]).toEqual([0, 4, 3, 4]);
    expect(refused.stderr).toContain('only way to sign in');
    expect(await harness.query('select subject from identities')).toEqual([{ subject: 'bob' }]);
    const [event] = await harness.query(
      `select user_id, provider, actor_kind from audit_events where event_type = 'unlink' and user_id = $1`,
      [ada.id],
    );
    expect(event).toEqual({ user_id: ada.id, provider: 'okta', actor_kind: 'cli' });
  });
});

describe('financectl users unblock', () => {
  test.each([false, true])('lifts what deleting blocked, when the family went along: %s', async (alone) => {
    const { ada } = await givenPeople();
    const eve = await givenPerson(harness, alone ? {} : { familyId: ada.familyId });
    await givenIdentity(harness, { userId: eve.id, subject: 'eve' });
    await harness.perform((work) => deleteUser(work, { user: eve.id, confirmation: eve.email }));
    const blocked = await harness.query('select provider, subject, email from blocked_identities');

    const done = await cli(['users', 'unblock', 'okta', 'eve']);
    const again = await cli(['users', 'unblock', 'okta', 'eve']);

    expect(blocked).toEqual([{ provider: 'okta', subject: 'eve', email: eve.email }]);
    expect([done.exitCode, again.exitCode]).toEqual([0, 3]);
    expect(await harness.query('select 1 from blocked_identities')).toEqual([]);
  });
});

const emails = async (method: string) => {
  const { stdout } = await cli(['users', 'list', '--method', method, '--json']);
  return JSON.parse(stdout).map(({ email }: { email: string }) => email);
};

test('financectl users list knows who signs in through a provider', async () => {
  const { bob } = await givenPeople();
  await harness.query('update users set password_digest = null where id = $1', [bob.id]);
  expect(await emails('okta')).toEqual(['ada@example.com', 'bob@example.com']);
  expect(await emails('password')).toEqual(['ada@example.com', 'root@example.com']);
  expect(await emails('none')).toEqual([]);
});
