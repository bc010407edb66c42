import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { run } from '#cli/program.ts';
import { readMigrationStatus } from '#src/database/migration-status.ts';
import { impatient } from '#src/doctor/ask.ts';
import { CHECKS } from '#src/doctor/checks.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { makeCertificate } from '#src/sso/providers/make-certificate.ts';
import { createUser } from '#src/users/create-user.ts';
import { useSmtpServer } from '#test/mail/smtp-server.ts';
import { givenProvider, MARKER, SAML } from '#test/sso/given-provider.ts';
import { startIssuer } from '#test/sso/issuer-server.ts';
import { bufferedOutside, type CliResult, runCli } from '#test/support/cli.ts';
import { createDatabase, SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });
const smtpServer = useSmtpServer();

const ENV = { AUTH_PROVIDERS_SOURCE: 'db', SECRET_KEY_BASE };

/** On the database of the tests. */
const doctor = (flags: string[] = [], env: Record<string, string> = {}): Promise<CliResult> =>
  runCli(['doctor', ...flags], {
    runtime: harness.runtime,
    env: { ...ENV, DATABASE_URL: harness.databaseUrl, ...env },
  });

/** With a runtime of its own, as outside of tests. */
async function doctorOf(env: Record<string, string>, flags: string[] = []): Promise<CliResult> {
  const { outside, stdout, stderr } = bufferedOutside({ env: { ...ENV, ...env } });
  const { createRuntime: _, ...ordinary } = outside;
  const exitCode = await run(['doctor', ...flags], ordinary);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

interface Report {
  status: string;
  checks: { name: string; status: string; detail: string; hint: string | null }[];
}

const reportOf = ({ stdout }: CliResult): Report => JSON.parse(stdout);

function found(result: CliResult, name: string) {
  return reportOf(result).checks.find((check) => check.name === name);
}

async function query(url: string, sql: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

beforeEach(async () => {
  await harness.perform(async (work) => {
    const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
    await createUser(work, { familyId, email: 'ada@example.com', role: 'super_admin' });
  });
});

const everything = () =>
  harness.query(`select (select count(*) from users) as users, (select json_agg(p) from sso_providers p) as providers,
    (select count(*) from audit_events) as events, (select json_agg(m) from provider_metadata m) as metadata,
    (select count(*) from sessions) as sessions, (select count(*) from schema_migrations) as migrations`);

describe('financectl doctor', () => {
  test('looks at everything in order, changes nothing, and ends well', async () => {
    const { url, close } = await startIssuer();
    await givenProvider(harness, { issuer: url });
    const before = await everything();

    const result = await doctor(['--json']);
    await close();

    const { status, checks } = reportOf(result);
    expect(result.exitCode, result.stdout).toBe(0);
    expect(checks.map(({ name }) => name)).toEqual(
      CHECKS.flatMap(({ name }) => (name === 'providers' ? [name, 'provider okta'] : [name])),
    );
    // The tests' database role is a superuser, and the issuer signs nobody in.
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(status).toBe('warn');
    for (const check of checks) {
      expect(Object.keys(check)).toEqual(['name', 'status', 'detail', 'hint']);
      if (check.status === 'warn') expect(check.hint, check.name).not.toBeNull();
    }
    expect(await everything()).toEqual(before);
    expect((await doctor(['--offline', '--exit-code'])).exitCode).toBe(8);
  });

  test('prints a line for each, with words and what to do, folded to the terminal', async () => {
    const options = { runtime: harness.runtime, env: { ...ENV, DATABASE_URL: harness.databaseUrl } };
    const { stdout, stderr } = await runCli(['doctor', '--offline'], options);
    const terminal = await runCli(['doctor', '--offline', '--no-color'], {
      ...options,
      terminal: { stdout: true, columns: 70 },
    });

    expect(stdout).toMatch(/^ok {7}node +Node\.js 24/);
    expect(stdout).toMatch(/^warn {5}roles +\S+ is a superuser.*\n {28}hint: Let DATABASE_URL/m);
    expect(stderr).toBe('Nothing is wrong; one warning\n');
    for (const line of terminal.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(70);
  });

  test('of settings that are not valid tells all of them and looks at what needs none', async () => {
    const result = await doctor(['--json'], { PORT: 'x', SESSION_IDLE_MINUTES: '0' });

    expect(result.exitCode).toBe(5);
    expect(found(result, 'settings')).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/PORT must.*SESSION_IDLE_MINUTES must/),
      hint: expect.stringContaining('help environment'),
    });
    expect(found(result, 'node')).toMatchObject({ status: 'ok' });
    expect(found(result, 'database')).toMatchObject({ status: 'skipped', detail: 'waits for settings' });
    expect(JSON.parse(result.stderr)).toMatchObject({ error: 'configuration_invalid' });
  });

  test('of a database that does not answer exits with 7, and tells no password', async () => {
    const DATABASE_URL = `postgres://finance:${MARKER}@127.0.0.1:1/finance`;
    const result = await doctorOf({ DATABASE_URL }, ['--json']);

    expect(result.exitCode).toBe(7);
    expect(found(result, 'database')).toMatchObject({ status: 'fail', hint: expect.any(String) });
    expect(found(result, 'tables')?.status).toBe('skipped');
    expect(result.stdout + result.stderr).not.toContain(MARKER);
  });

  test('waits for no query for long, whoever holds a lock', async () => {
    const other = new Client({ connectionString: harness.databaseUrl });
    await other.connect();
    await other.query('begin; lock table schema_migrations in access exclusive mode');

    const asked = readMigrationStatus(impatient(harness.runtime.pool, 50));

    await expect(asked).rejects.toThrow('timeout');
    await other.end();
  });

  test('of a schema that is behind warns, and leaves it so', async () => {
    const DATABASE_URL = await createDatabase('empty');

    const result = await doctorOf({ DATABASE_URL }, ['--json']);

    expect(result.exitCode, result.stdout).toBe(0);
    expect(found(result, 'migrations')).toMatchObject({
      status: 'warn',
      hint: expect.stringContaining('db migrate'),
    });
    expect(found(result, 'super_admin')).toMatchObject({ detail: 'waits for migrations' });
    expect(await query(DATABASE_URL, `select 1 from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  test('of a database of a newer release exits with 5', async () => {
    const DATABASE_URL = await createDatabase('migrated');
    await query(
      DATABASE_URL,
      `insert into schema_migrations (name) values ('Migration20990101000000_later')`,
    );

    const result = await doctorOf({ DATABASE_URL }, ['--json']);

    expect(result.exitCode).toBe(5);
    expect(found(result, 'migrations')?.detail).toContain('Migration20990101000000_later');
  });

  test('of an embedded database that is not there yet makes none', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'finance-doctor-'));

    const result = await doctorOf({ DATA_DIR, SECRET_KEY_BASE: '' }, ['--json']);

    expect(result.exitCode, result.stdout).toBe(0);
    expect(found(result, 'embedded_database')?.status).toBe('skipped');
    expect(found(result, 'secret_key_base')?.status).toBe('skipped');
    expect(await readdir(DATA_DIR)).toEqual([]);
  });
});

const certificate = (days: number) =>
  makeCertificate({ entityId: 'urn:x', use: 'signing', from: new Date(), days, bits: 2_048 });

async function certificates(...flags: string[]) {
  const { checks } = reportOf(await doctor(['--json', '--offline', ...flags]));
  return checks.filter(({ name }) => name === 'certificates').map(({ status, hint }) => [status, hint]);
}

describe('the doctor finds', () => {
  test('a role that may not write, and names the tables', async () => {
    const DATABASE_URL = await createDatabase('migrated');
    const role = `reader_${new URL(DATABASE_URL).pathname.slice(6, 20)}`;
    await query(
      DATABASE_URL,
      `create role ${role} login password 'x'; grant select on all tables in schema public to ${role};
      grant insert, update, delete on users to ${role}`,
    );
    const url = new URL(DATABASE_URL);
    url.username = role;
    url.password = 'x';

    const both = { DATABASE_URL: url.href, MIGRATION_DATABASE_URL: DATABASE_URL };
    const result = await doctorOf(both, ['--json', '--offline']);
    const astray = { DATABASE_URL, MIGRATION_DATABASE_URL: harness.databaseUrl };

    expect(result.exitCode).toBe(5);
    expect(found(result, 'roles')?.detail).toMatch(
      /may not read and write: access_tokens, accounts, .*audit_events/,
    );
    expect(found(result, 'roles')?.detail).not.toMatch(/\busers\b/);
    expect(reportOf(result).checks).toContainEqual(
      expect.objectContaining({
        name: 'roles',
        status: 'ok',
        detail: expect.stringContaining('may migrate'),
      }),
    );
    expect((await doctorOf(astray)).stdout).toContain('leads to another database');
    await query(DATABASE_URL, `drop owned by ${role}; drop role ${role}`);
  });

  test('a secret that cannot be opened, and one with an older key', async () => {
    await givenProvider(harness);
    expect(found(await doctor(['--json', '--offline']), 'encryption_keys')?.detail).toContain(
      'can be opened',
    );

    await harness.query(
      `update sso_providers set secrets = '{"client_secret": "v1.000000000000.${'A'.repeat(40)}"}'`,
    );
    const result = await doctor(['--json', '--offline']);

    expect(result.exitCode).toBe(5);
    expect(found(result, 'encryption_keys')?.detail).toBe('1 of 1 stored secrets cannot be opened');
  });

  test('that there is no user, or no active super admin', async () => {
    await harness.query(`update users set suspended_at = now()`);
    const suspended = await doctor(['--json', '--offline']);
    await harness.query('delete from users');
    const nobody = await doctor(['--json', '--offline']);

    expect(suspended.exitCode).toBe(5);
    expect(found(suspended, 'super_admin')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('users role'),
    });
    expect(nobody.exitCode).toBe(0);
    expect(found(nobody, 'super_admin')).toMatchObject({
      status: 'warn',
      hint: expect.stringContaining('users create'),
    });
  });

  test('a provider that does not answer, unless nobody is to be asked', async () => {
    const { url, close } = await startIssuer();
    await close();
    await givenProvider(harness, { issuer: url });
    await givenProvider(harness, { name: 'idle', issuer: url, enabled: false });

    const asked = await doctor(['--json']);
    const offline = await doctor(['--json', '--offline']);

    expect(asked.exitCode, asked.stdout).toBe(7);
    expect(found(asked, 'provider okta')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('providers test okta'),
    });
    expect(found(asked, 'provider idle')).toBeUndefined();
    expect(offline.exitCode).toBe(0);
    expect(found(offline, 'provider okta')?.status).toBe('skipped');
  });

  test('that nobody can sign in', async () => {
    const result = await doctor(['--json'], { AUTH_LOCAL_LOGIN_ENABLED: 'false' });

    expect(result.exitCode).toBe(5);
    expect(found(result, 'providers')?.detail).toContain('nobody can sign in');
  });

  test('certificates that end soon or have ended, ours and theirs', async () => {
    const soon = await certificate(20);
    const ours = await certificate(25);
    await harness.perform((work) =>
      createProvider(work, {
        ...SAML,
        certificate: soon.certificate,
        private_key: ours.privateKey,
        sp_certificate: ours.certificate,
      }),
    );

    expect(await certificates()).toEqual([
      ['warn', expect.stringContaining('Ask the provider')],
      ['warn', expect.stringContaining('providers keygen')],
    ]);
    expect(await certificates('--warn-cert-days', '22')).toEqual([['warn', expect.any(String)]]);
    expect(await certificates('--warn-cert-days', '10')).toEqual([['ok', null]]);
  });

  test('whether the mail server greets, and signs nobody in there', async () => {
    const { port, commands } = await smtpServer();
    const MAIL_FROM = 'finance@example.com';
    const SMTP_URL = `smtp://user:${MARKER}@127.0.0.1:${port}`;

    const there = await doctor(['--json'], { SMTP_URL, MAIL_FROM });
    const gone = await doctor(['--json'], { SMTP_URL: `smtp://user:${MARKER}@127.0.0.1:1`, MAIL_FROM });

    expect(found(there, 'mail')?.status).toBe('ok');
    expect(commands).toEqual(['QUIT']);
    expect(gone.exitCode).toBe(7);
    expect(found(gone, 'mail')?.detail).toContain('ECONNREFUSED');
    expect(there.stdout + gone.stdout + gone.stderr).not.toContain(MARKER);
  });

  test('what should be set: SECRET_KEY_BASE beside DATABASE_URL', async () => {
    const result = await doctor(['--json'], { SECRET_KEY_BASE: '' });

    expect(result.exitCode).toBe(5);
    expect(found(result, 'secret_key_base')?.status).toBe('fail');
  });

  test('a provider of the file that cannot work, also while the database is away', async () => {
    const AUTH_PROVIDERS_FILE = join(await mkdtemp(join(tmpdir(), 'finance-doctor-')), 'auth.yml');
    await writeFile(AUTH_PROVIDERS_FILE, 'providers:\n  - name: okta\n    strategy: openid_connect\n');
    const env = { AUTH_PROVIDERS_SOURCE: 'yaml', AUTH_PROVIDERS_FILE };

    const result = await doctorOf({ ...env, DATABASE_URL: 'postgres://127.0.0.1:1/x' }, ['--json']);

    expect(result.exitCode).toBe(5);
    expect(found(result, 'provider_file')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('auth.yml:2'),
      hint: expect.stringContaining('enabled: false'),
    });
  });
});
