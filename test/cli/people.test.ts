import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logInLocally } from '#src/auth/log-in-locally.ts';
import type { Identity } from '#src/sso/connector.ts';
import { admit } from '#src/sso/login/admit.ts';
import { acceptInvitation } from '#src/users/accept-invitation.ts';
import { resetPassword } from '#src/users/reset-password.ts';
import { useSmtpServer } from '#test/mail/smtp-server.ts';
import { oidcProvider } from '#test/sso/support/providers.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenSession, givenUser, PASSWORD, sessionsOf } from '#test/users/given-user.ts';

const harness = useRuntime();
const startServer = useSmtpServer();

const cli = (argv: string[], options: CliOptions = {}) =>
  runCli(argv, { runtime: harness.runtime, ...options });

async function ok(argv: string[], options: CliOptions = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await cli(argv, options);
  expect(exitCode, stderr).toBe(0);
  return stdout.trim();
}

const json = async (...argv: string[]) => JSON.parse(await ok([...argv, '--json']));

async function givenPeople() {
  const root = await givenUser(harness, 'root@example.com', { family: 'Lovelace' });
  const ada = await givenUser(harness, 'ada@example.com', {
    familyId: root.familyId,
    firstName: 'Ada',
    password: PASSWORD,
  });
  return { root, ada };
}

const events = async (type: string, userId: string) =>
  harness.query<{ actor_id: string | null; metadata: object }>(
    'select actor_id, metadata from audit_events where event_type = $1 and user_id = $2 order by created_at, id',
    [type, userId],
  );

const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';

describe('financectl users list', () => {
  test('is filtered, paged, and tells what each has', async () => {
    const { ada } = await givenPeople();
    await givenSession(harness, ada.id);

    expect(await json('users', 'list', '--search', 'ADA')).toMatchObject([
      { email: 'ada@example.com', family: 'Lovelace', has_password: true, sessions: 1, api_keys: 0 },
    ]);
    expect(await json('users', 'list', '--method', 'none', '--status', 'active')).toMatchObject([
      { email: 'root@example.com' },
    ]);
    expect(await json('users', 'list', '--family', 'Lovelace', '--role', 'super_admin')).toHaveLength(1);
    const { stdout, stderr } = await cli(['users', 'list', '--limit', '1', '--page', '2', '--no-header']);
    expect(stdout).toMatch(/^root@example.com\t/);
    expect(stderr).toContain('1 of 2, page 2 of 2');
  });

  test.each([
    [['--search', 'nobody'], 0, 'No users match'],
    [['--page', '7'], 0, 'Nothing on page 7'],
    [['--family', 'Nowhere'], 3, 'No family has the name'],
    [['--role', 'root'], 2, 'Allowed choices'],
    [['--method', 'magic'], 2, 'or the name of a provider'],
  ])('with %j is %i', async (argv, expected, text) => {
    await givenPeople();

    const { exitCode, stdout, stderr } = await cli(['users', 'list', ...argv]);

    expect({ exitCode, stdout }).toEqual({ exitCode: expected, stdout: '' });
    expect(stderr).toContain(text);
  });
});

describe('financectl users show', () => {
  test('tells all there is to know, but no secret', async () => {
    const { ada } = await givenPeople();
    const token = await givenSession(harness, ada.id);

    const shown = await ok(['users', 'show', 'ada@example.com']);

    expect(shown).toMatch(/^status +active$/m);
    expect(shown).toMatch(/^family +Lovelace \(/m);
    expect(shown).toMatch(/^sessions +1\n +last seen .* from nowhere known/m);
    const facts = await json('users', 'show', ada.id);
    expect(facts).toMatchObject({ id: ada.id, name: 'Ada', sessions: [{ email: ada.email }] });
    expect(shown + JSON.stringify(facts)).not.toMatch(new RegExp(`argon2|${token}`));
    expect((await cli(['users', 'show', 'nobody@example.com'])).exitCode).toBe(3);
  });
});

describe('financectl users invite', () => {
  test('prints the link alone, and whoever has it comes in', async () => {
    await givenPeople();
    const { stdout, stderr } = await cli(['users', 'invite', 'bob@example.com', '--role', 'admin'], {
      env: { APP_URL: 'https://finance.example' },
    });

    expect(stdout).toMatch(/^https:\/\/finance\.example\/invitation\?token=[\w-]{43}\n$/);
    expect(stderr).toContain('Invited bob@example.com');
    expect(await json('users', 'invitations')).toMatchObject([
      { email: 'bob@example.com', role: 'admin', family: 'Lovelace', expired: false },
    ]);
    const token = tokenOf(stdout.trim());
    expect(stderr + (await ok(['users', 'invitations', '--json']))).not.toContain(token);
    const user = await harness.perform((work) => acceptInvitation(work, { token, password: PASSWORD }));
    expect(user).toMatchObject({ email: 'bob@example.com', role: 'admin' });
    expect((await cli(['users', 'invitations'])).stderr).toContain('Nobody is invited');
  });

  test('mails the link instead where mail can be sent', async () => {
    await givenPeople();
    const { port, deliveries } = await startServer();
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'finance@example.com' };

    const { exitCode, stdout, stderr } = await cli(['users', 'invite', 'bob@example.com', '--json'], { env });

    expect({ exitCode, result: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      result: { mailed: true, link: null },
    });
    expect(stderr).toContain('Mailed the link');
    expect(deliveries).toMatchObject([{ to: ['bob@example.com'] }]);
    const text = deliveries[0]?.data.replaceAll('=\n', '').replaceAll('=3D', '=') ?? '';
    const [token = ''] = /[\w-]{43}/.exec(text) ?? [];
    expect(text).toContain(`http://localhost:3000/invitation?token=${token}`);
    await harness.perform((work) => acceptInvitation(work, { token, password: PASSWORD }));
  });

  test('says that somebody is invited, but has not heard of it', async () => {
    await givenPeople();
    const { port } = await startServer({ answers: { RCPT: '550 no' } });
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'finance@example.com' };

    const { exitCode, stderr } = await cli(['users', 'invite', 'bob@example.com'], { env });

    expect(exitCode).toBe(7);
    expect(stderr).toContain('bob@example.com is invited, but has not heard of it');
    expect(await json('users', 'invitations')).toHaveLength(1);
  });

  test('rehearsed neither prints nor mails a link', async () => {
    await givenPeople();
    const { port, commands } = await startServer();
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'finance@example.com' };

    for (const options of [{}, { env }]) {
      expect(await ok(['users', 'invite', 'bob@example.com', '--dry-run'], options)).toBe('');
    }

    expect(commands).toEqual([]);
    expect(await json('users', 'invitations')).toEqual([]);
  });

  test.each([
    [['ada@example.com'], 5],
    [['nonsense'], 5],
    [['bob@example.com', '--family', 'Nowhere'], 3],
    [['bob@example.com', '--role', 'root'], 2],
  ])('%j is %i', async (argv, expected) => {
    await givenPeople();

    expect((await cli(['users', 'invite', ...argv])).exitCode).toBe(expected);
  });

  test('is taken back, one by one', async () => {
    await givenPeople();
    await ok(['users', 'invite', 'bob@example.com']);

    const { exitCode, stderr } = await cli(['users', 'uninvite', 'bob@example.com', 'eve@example.com']);

    expect(exitCode).toBe(6);
    expect(stderr).toContain('Withdrew the invitation of bob@example.com');
    expect(stderr).toContain('eve@example.com');
    expect(await json('users', 'invitations')).toEqual([]);
  });
});

describe('financectl users reset-password', () => {
  test('prints the link alone, and says how long it holds', async () => {
    await givenPeople();
    const { exitCode, stdout, stderr } = await cli(['users', 'reset-password', 'ada@example.com']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^http:\/\/localhost:3000\/password_reset\/confirm\?token=[\w-]{43}\n$/);
    expect(stderr).toContain('15 minutes');
    expect(stderr).not.toContain('warning');
    const token = tokenOf(stdout.trim());
    await harness.perform((work) => resetPassword(work, { token, password: 'an entirely new horse' }));
  });

  test('warns when nobody may sign in with a password', async () => {
    await givenPeople();
    const env = { AUTH_LOCAL_LOGIN_ENABLED: 'false' };

    const { stderr } = await cli(['users', 'reset-password', 'ada@example.com', '--quiet'], { env });

    expect(stderr).toContain('AUTH_LOCAL_LOGIN_ENABLED');
  });

  test('never mails, and rehearsed makes no link', async () => {
    await givenPeople();
    const { port, commands } = await startServer();
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'finance@example.com' };

    await ok(['users', 'reset-password', 'ada@example.com'], { env });
    expect(await ok(['users', 'reset-password', 'ada@example.com', '-n'])).toBe('');

    expect(commands).toEqual([]);
  });

  test.each([
    ['root@example.com', 4, 'has no password'],
    ['nobody@example.com', 3, 'No user'],
  ])('for %s is %i', async (user, expected, text) => {
    await givenPeople();

    const { exitCode, stdout, stderr } = await cli(['users', 'reset-password', user]);

    expect({ exitCode, stdout }).toEqual({ exitCode: expected, stdout: '' });
    expect(stderr).toContain(text);
  });
});

describe('financectl users sessions', () => {
  test('lists them, and ends them after asking', async () => {
    const { root, ada } = await givenPeople();
    await givenSession(harness, ada.id);
    await givenSession(harness, ada.id);
    await givenSession(harness, root.id);

    const listed = await json('users', 'sessions', 'ada@example.com', 'root@example.com');
    expect(listed.map(({ email }: { email: string }) => email)).toEqual([ada.email, ada.email, root.email]);
    expect(Object.keys(listed[0])).toEqual([
      'email',
      'ip_address',
      'user_agent',
      'provider',
      'created_at',
      'last_seen_at',
      'expires_at',
      'id',
    ]);

    expect((await cli(['users', 'sessions', ada.email, '--revoke'])).exitCode).toBe(4);
    expect(await sessionsOf(harness, ada.id)).toHaveLength(2);
    const { exitCode } = await cli(['users', 'sessions', ada.email, 'nobody@example.com', '--revoke', '-y']);

    expect(exitCode).toBe(6);
    expect(await sessionsOf(harness, ada.id)).toEqual([]);
    expect(await sessionsOf(harness, root.id)).toHaveLength(1);
    expect(await events('logout', ada.id)).toMatchObject([{ metadata: { reason: 'revoked', sessions: 2 } }]);
  });
});

describe('acting in the name of a super admin', () => {
  const suspend = ['users', 'suspend', 'ada@example.com', '--yes'];

  test.each<[string, (id: string) => [string[], Record<string, string>]]>([
    ['--actor by email', () => [['--actor', 'ROOT@example.com'], {}]],
    ['--actor by id', (id) => [['--actor', id], {}]],
    ['FINANCECTL_ACTOR', () => [[], { FINANCECTL_ACTOR: 'root@example.com' }]],
    [
      '--actor before FINANCECTL_ACTOR',
      () => [['--actor', 'root@example.com'], { FINANCECTL_ACTOR: 'ada@example.com' }],
    ],
  ])('is recorded: %s', async (_, how) => {
    const { root, ada } = await givenPeople();
    const [flags, env] = how(root.id);

    await ok([...suspend, ...flags], { env });

    expect(await events('user_suspended', ada.id)).toMatchObject([
      { actor_id: root.id, metadata: { os_user: expect.any(String) } },
    ]);
  });

  test.each([
    ['ada@example.com', 'ada@example.com is a member, not a super_admin'],
    ['eve@example.com', 'eve@example.com is suspended'],
    ['nobody@example.com', 'no user has the email or id "nobody@example.com"'],
    ['', 'no user has the email or id ""'],
  ])('as %j is refused, and nothing is done', async (actor, reason) => {
    const { ada } = await givenPeople();
    await givenUser(harness, 'eve@example.com', { role: 'super_admin' });
    await ok(['users', 'suspend', 'eve@example.com', '--yes']);

    const { exitCode, stderr } = await cli([...suspend, '--actor', actor]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: expect.stringContaining(reason) });
    expect(await harness.query('select suspended_at from users where id = $1', [ada.id])).toEqual([
      { suspended_at: null },
    ]);
  });

  test.each<[boolean, string, string[], CliOptions]>([
    [true, 'on a terminal', suspend, { terminal: { stderr: true } }],
    [false, 'in cron', suspend, {}],
    [false, 'when nothing is saved', [...suspend, '--dry-run'], { terminal: { stderr: true } }],
    [false, 'when nothing is written', ['users', 'list'], { terminal: { stderr: true } }],
    [false, 'with --actor', [...suspend, '--actor', 'root@example.com'], { terminal: { stderr: true } }],
  ])('is what somebody who names nobody is told of once: %s, %s', async (isTold, _, argv, options) => {
    await givenPeople();

    const { exitCode, stderr } = await cli(argv, options);

    expect(exitCode, stderr).toBe(0);
    expect(stderr.split('--actor or FINANCECTL_ACTOR').length - 1).toBe(isTold ? 1 : 0);
  });

  test('nobody deletes oneself, not even asks', async () => {
    await givenPeople();
    await givenUser(harness, 'eve@example.com', { role: 'super_admin' });

    const { exitCode, stderr } = await cli([
      'users',
      'delete',
      'root@example.com',
      '--confirm',
      'root@example.com',
      '--actor',
      'root@example.com',
    ]);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 4,
      stderr: expect.stringContaining('Nobody can delete themselves'),
    });
    expect(stderr).not.toContain('permanently');
  });

  test('is among the variables that help lists', async () => {
    expect((await runCli(['help', 'environment'])).stdout).toContain('FINANCECTL_ACTOR');
  });
});

test('deleting somebody tells of the sessions that end', async () => {
  const { ada } = await givenPeople();
  await givenSession(harness, ada.id);

  const { stderr } = await cli(['users', 'delete', ada.email, '--confirm', ada.email]);

  expect(stderr).toContain('(member, 0 API keys, 1 sessions)');
});

test('somebody who signs in for the first time while they are created is there already', async () => {
  const { root } = await givenPeople();
  const [made, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const signIn = harness.perform(async (work) => {
    const rules = { mode: 'create_and_link', allowedDomains: [], currency: 'EUR' } as const;
    await admit(work, { provider: oidcProvider('https://idp.example.com'), identity: EVE, rules });
    made.resolve();
    await gate.promise;
  });
  await made.promise;

  const creating = cli(['users', 'create', '--email', 'eve@example.com', '--family', root.familyId]);
  await expect.poll(() => harness.query(WAITING)).not.toEqual([]);
  gate.resolve();
  await signIn;

  const { exitCode, stderr } = await creating;
  expect(exitCode).toBe(5);
  expect(stderr).toContain('there is already a user eve@example.com');
  expect(stderr).not.toContain('duplicate key');
});

const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

const EVE: Identity = {
  subject: 'eve',
  issuer: 'https://idp.example.com',
  email: 'eve@example.com',
  emailVerified: true,
  firstName: null,
  lastName: null,
  groups: null,
  attributes: {},
};

describe('financectl users blocked', () => {
  test('lists what deleted users signed in with, by the name of the provider, until it is unblocked', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'finance-blocked-')), 'auth.yml');
    await writeFile(file, 'providers:\n  - { id: okta, name: company, strategy: openid_connect }\n');
    const env = { AUTH_PROVIDERS_FILE: file };
    await harness.query(
      `insert into blocked_identities values
         ('okta', '00u1', 'ada@example.com', '2026-01-02T03:04:05Z'), ('gone', '00u2', null, '2026-01-01T00:00:00Z')`,
    );

    const table = await ok(['users', 'blocked', '--no-header'], { env });
    const rows = JSON.parse(await ok(['users', 'blocked', '--json'], { env }));
    await ok(['users', 'unblock', 'company', '00u1'], { env });
    await ok(['users', 'unblock', 'gone', '00u2'], { env });
    const none = await cli(['users', 'blocked'], { env });

    expect(table.split('\n').map((line) => line.split('\t').slice(0, 3))).toEqual([
      ['company', '00u1', 'ada@example.com'],
      ['gone', '00u2', expect.anything()],
    ]);
    expect(rows).toMatchObject([
      { provider: 'company', subject: '00u1', blocked_at: '2026-01-02T03:04:05.000Z' },
      { provider: 'gone', subject: '00u2', email: null },
    ]);
    expect(none.stderr).toContain('No identity is blocked');
  });
});

test('a password set by an administrator opens an account that the guesses of others have locked', async () => {
  const { ada } = await givenPeople();
  const guess = (password: string, source: string) =>
    logInLocally(harness.runtime, { kind: 'web' }, { email: ada.email, password, source });
  await Promise.allSettled(Array.from({ length: 11 }, (_, n) => guess('a wrong guess', `203.0.113.${n}`)));
  const locked = await guess(PASSWORD, '198.51.100.1').catch((error: unknown) => error);

  await ok(['users', 'set-password', ada.email], { stdin: 'another good password' });

  expect(locked).toMatchObject({ code: 'rate_limit_exceeded' });
  await expect(guess('another good password', '198.51.100.1')).resolves.toMatchObject({ email: ada.email });
});
