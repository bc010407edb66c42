import { chmod, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFamily } from '#src/ledger/create-family.ts';
import { makeCertificate } from '#src/sso/providers/make-certificate.ts';
import { createUser } from '#src/users/create-user.ts';
import { fixture, givenProvider, MARKER } from '#test/sso/given-provider.ts';
import { startIssuer } from '#test/sso/issuer-server.ts';
import { type CliOptions, type CliResult, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const ENV = { AUTH_PROVIDERS_SOURCE: 'db', APP_URL: 'https://finance.example.com' };

/** Everything any command of this file has printed. */
let printed = '';

async function cli(argv: string[], { env = {}, ...options }: CliOptions = {}): Promise<CliResult> {
  const result = await runCli(argv, { runtime: harness.runtime, env: { ...ENV, ...env }, ...options });
  printed += result.stdout + result.stderr;
  return result;
}

async function ok(argv: string[], options: CliOptions = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await cli(argv, options);
  expect(exitCode, stderr).toBe(0);
  return stdout.trim();
}

const json = async (argv: string[], options: CliOptions = {}) =>
  JSON.parse(await ok([...argv, '--json'], options));

async function file(content: string, mode = 0o600): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'finance-providers-')), 'file');
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

async function endingSoon(): Promise<string> {
  const request = { entityId: 'urn:adfs', use: 'signing', from: new Date(), days: 20, bits: 2_048 } as const;
  return (await makeCertificate(request)).certificate;
}

const dump = async () =>
  JSON.stringify(
    await harness.query(`select (select json_agg(p order by id) from sso_providers p) as providers,
      (select count(*) from audit_events) as events`),
  );

const CREATE = [
  'providers',
  'create',
  '--strategy',
  'openid_connect',
  '--name',
  'okta',
  '--client-id',
  'finance',
];
const UNVERIFIED = [...CREATE, '--issuer', 'https://example.okta.com', '--skip-verify'];

/** What "common" of Entra ID publishes. */
const TEMPLATE = 'https://login.microsoftonline.com/{tenantid}/v2.0';

async function issuer(...args: Parameters<typeof startIssuer>) {
  const server = await startIssuer(...args);
  onTestFinished(() => server.close());
  return server;
}

const keys = (primary: string) => ({
  ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY: primary,
  ACTIVE_RECORD_ENCRYPTION_DETERMINISTIC_KEY: 'deterministic-key-of-the-test',
  ACTIVE_RECORD_ENCRYPTION_KEY_DERIVATION_SALT: 'derivation-salt-of-the-test',
});

describe('providers create', () => {
  test('asks the issuer, saves, and prints the callback alone on stdout', async () => {
    const { url, requests } = await issuer();

    const { exitCode, stdout, stderr } = await cli(
      [...CREATE, '--issuer', url, '--client-secret-stdin', '--map', 'A=B=admin'],
      { stdin: `${MARKER}\n` },
    );

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('https://finance.example.com/auth/okta/callback\n');
    expect(stderr).toContain('providers test okta');
    expect(stderr).toMatch(/For sign-outs.*\/auth\/okta\/backchannel_logout,.*\/auth\/logout\/callback\n/);
    expect(requests).toContain('/.well-known/openid-configuration');
    const urls = {
      callback_url: 'https://finance.example.com/auth/okta/callback',
      backchannel_logout_url: 'https://finance.example.com/auth/okta/backchannel_logout',
      post_logout_redirect_url: 'https://finance.example.com/auth/logout/callback',
    };
    expect(await json(['providers', 'urls', 'okta'])).toEqual(urls);
    expect(await json(['providers', 'show', 'okta'])).toMatchObject({
      issuer: url,
      client_secret: 'set',
      role_mapping: { mappings: [{ group: 'A=B', role: 'admin' }] },
      urls,
    });
    const [row] = await harness.query<{ secrets: string }>('select secrets::text from sso_providers');
    expect(row?.secrets).not.toContain(MARKER);
  });

  test.each<[string, (url: string) => Record<string, unknown>, string, number]>([
    ['another issuer', () => ({ issuer: 'https://evil.example' }), 'another issuer', 5],
    ['a slash more', (url) => ({ issuer: `${url}/` }), 'slash', 5],
    ['no issuer', () => ({ issuer: undefined }), 'names no issuer', 5],
    ['an issuer for any tenant', () => ({ issuer: TEMPLATE }), 'microsoftonline.com/<tenant id>/v2.0', 5],
  ])('refuses a discovery document with %s, and saves nothing', async (_, document, message, code) => {
    const { url } = await issuer(document);
    const before = await dump();

    const { exitCode, stderr } = await cli([...CREATE, '--issuer', url]);

    expect(exitCode).toBe(code);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('{');
    expect(await dump()).toBe(before);
  });

  test('exits with 7 when the issuer does not answer, unless it is not asked', async () => {
    const { url, close } = await issuer();
    await close();

    const { exitCode, stderr } = await cli([...CREATE, '--issuer', url]);
    expect(exitCode).toBe(7);
    expect(stderr).toContain('cannot be reached');
    expect(stderr).toContain('--skip-verify');
    await ok([...CREATE, '--issuer', url, '--skip-verify']);
  });

  test('of a preset needs client id and secret, and nothing else', async () => {
    const secret = await file(`${MARKER}\n`);

    const bare = await cli(['providers', 'create', '--preset', 'github']);
    expect(bare.exitCode).toBe(2);
    expect(bare.stderr).toContain('these are required: --client-id, --client-secret-file');

    await ok([
      'providers',
      'create',
      '--preset',
      'github',
      '--client-id',
      'x',
      '--client-secret-file',
      secret,
    ]);
    expect(await json(['providers', 'show', 'github'])).toMatchObject({
      strategy: 'oauth2',
      label: 'Sign in with GitHub',
      emails_url: 'https://api.github.com/user/emails',
    });
  });

  test.each<[string[], string]>([
    [[], '--strategy (or --preset), --name'],
    [['--strategy', 'openid_connect'], '--name, --issuer, --client-id'],
    [
      ['--strategy', 'oauth2', '--name', 'x'],
      '--authorization-url, --token-url, --userinfo-url, --client-id, --client-secret-file',
    ],
    [
      ['--strategy', 'saml'],
      '--name, --metadata-url or --metadata-file (or all of --sso-url --entity-id --certificate-file)',
    ],
    [['--strategy', 'saml', '--sso-url', 'x', '--name', 'x'], '--entity-id, --certificate-file'],
    [['--preset', 'keycloak'], '--issuer, --client-id, --client-secret-file'],
  ])('%j says everything that is missing where nobody can be asked', async (flags, missing) => {
    const { exitCode, stderr } = await cli(['providers', 'create', ...flags]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`these are required: ${missing}\n`);
  });

  test('tells everything that is wrong at once', async () => {
    const { exitCode, stderr } = await cli([
      ...CREATE.with(5, 'saml'),
      '--issuer',
      'nowhere',
      '--scopes',
      'email',
    ]);

    expect(exitCode).toBe(5);
    expect(stderr.match(/^error: (\w+): /gm)).toEqual([
      'error: name: ',
      'error: scopes: ',
      'error: issuer: ',
    ]);
  });

  test.each([
    [['--client-secret', MARKER]],
    [[`--client-secret=${MARKER}`]],
    [['--client-secret', MARKER, '--json']],
  ])('refuses a secret on the command line, and does not repeat it: %j', async (flags) => {
    const { exitCode, stderr } = await cli([...UNVERIFIED, ...flags]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('--client-secret-file');
    expect(stderr).not.toContain(MARKER);
  });

  test.each<[string[], number, string]>([
    [['--client-secret-file', '/nowhere/secret'], 3, 'No such file'],
    [['--client-secret-file', 'x', '--client-secret-stdin'], 2, 'contradict'],
    [['--client-secret-stdin'], 2, 'standard input is empty'],
    [['--map', 'admin'], 2, 'It must be group=role'],
    [['--map', 'A=root'], 5, 'mappings[0].role must be a role'],
    [['--map', '*=admin'], 5, 'mappings[0].group must not be *, which is no group'],
    [['--mappings-file', '/dev/null'], 2, 'is empty'],
    [['--preset', 'myspace'], 2, 'Allowed choices are google'],
    [['--default-role', 'root'], 2, 'Allowed choices are member'],
  ])('%j exits with %i', async (flags, code, message) => {
    const { exitCode, stderr } = await cli([...UNVERIFIED, ...flags]);

    expect(stderr).toContain(message);
    expect(exitCode).toBe(code);
  });

  test('warns of a secret that everybody can read', async () => {
    const open = await cli([...UNVERIFIED, '--client-secret-file', await file(MARKER, 0o644), '--dry-run']);
    const closed = await cli([...UNVERIFIED, '--client-secret-file', await file(MARKER), '--dry-run']);

    expect(open.stderr).toContain('everybody on this machine can read');
    expect(closed.stderr).not.toContain('everybody');
  });

  test('as a rehearsal saves nothing', async () => {
    const before = await dump();

    const { exitCode, stderr } = await cli(UNVERIFIED, { env: { DRY_RUN: 'true' } });

    expect(exitCode).toBe(0);
    expect(stderr).toContain('DRY RUN');
    expect(await dump()).toBe(before);
  });

  test('says when providers of the database are not in use', async () => {
    const { stderr } = await cli(UNVERIFIED, { env: { AUTH_PROVIDERS_SOURCE: 'yaml' } });

    expect(stderr).toContain('AUTH_PROVIDERS_SOURCE=db');
  });

  test('takes certificates and keys of SAML from files', async () => {
    const flags = ['--sso-url', 'https://adfs.example.com/sso', '--entity-id', 'urn:adfs', '--sign-requests'];
    const files = [
      ['--certificate-file', await file(fixture('other.crt') + (await endingSoon()))],
      ['--private-key-file', await file(fixture('strong.key'))],
      ['--sp-certificate-file', await file(fixture('strong.crt'))],
    ].flat();
    await ok(['providers', 'create', '--strategy', 'saml', '--name', 'adfs', ...flags, ...files]);

    expect(await json(['providers', 'urls', 'adfs'])).toEqual({
      entity_id: 'https://finance.example.com/auth/saml/adfs',
      callback_url: 'https://finance.example.com/auth/saml/adfs/callback',
      metadata_url: 'https://finance.example.com/auth/saml/adfs/metadata',
      logout_url: 'https://finance.example.com/auth/saml/adfs/logout',
    });
    expect(await json(['providers', 'show', 'adfs'])).toMatchObject({
      private_key: 'set',
      sign_requests: true,
    });
    expect(await ok(['providers', 'test', 'adfs'])).toContain('2 certificates; the last one ends on 21');
    const warned = await cli(['providers', 'test', 'adfs', '--warn-cert-days', '99999', '--exit-code']);
    expect(warned.exitCode).toBe(8);
    expect(await json(['providers', 'list'])).toMatchObject([
      { certificate_expires_at: expect.stringMatching(/^21/) },
    ]);
  });
});

describe('providers list and show', () => {
  test('show state, use and reason, and never a secret', async () => {
    await givenProvider(harness);
    await givenProvider(harness, { name: 'google', enabled: false });
    await harness.query(
      `update sso_providers set secrets = '{"client_secret": "v1.000000000000.${'A'.repeat(40)}"}' where id = 'google'`,
    );
    await harness.perform(async (work) => {
      const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
      const { id } = await createUser(work, { familyId, email: 'ada@example.com' });
      await work.sql(
        `insert into identities (id, user_id, provider, subject, groups, attributes, created_at, last_used_at)
         values (gen_random_uuid(), $1, 'okta', 's', '[]', '{}', now(), '2026-01-02T03:04:05Z')`,
        [id],
      );
    });

    expect(await json(['providers', 'list'])).toEqual([
      expect.objectContaining({
        name: 'google',
        enabled: false,
        usable: false,
        problem: expect.stringContaining('key'),
      }),
      {
        name: 'okta',
        id: 'okta',
        strategy: 'openid_connect',
        label: 'Company login',
        enabled: true,
        usable: true,
        issuer: 'https://example.okta.com',
        certificate_expires_at: null,
        last_login_at: '2026-01-02T03:04:05.000Z',
        users: 1,
        source: 'database',
        problem: null,
      },
    ]);
    const table = await ok(['providers', 'list']);
    expect(table).toMatch(/^NAME\tSTRATEGY\tLABEL\tENABLED\tISSUER \/ SSO URL\tCERT EXPIRES\tLAST LOGIN\t/);
    expect(table).toMatch(
      /okta\topenid_connect\tCompany login\tyes\thttps:\/\/example\.okta\.com\t-\t2026-01-02 03:04\t1/,
    );
    expect((await json(['providers', 'list', '--enabled'])).length).toBe(1);
    expect((await json(['providers', 'list', '--disabled', '--strategy', 'saml'])).length).toBe(0);

    const shown = await ok(['providers', 'show', 'okta']);
    expect(shown).toMatch(/client secret +set\n/);
    expect(shown).toContain('https://finance.example.com/auth/okta/callback');
    expect(await ok(['providers', 'show', 'google'])).toContain('another key');
  });

  test('of the file, with the reason why one is not there', async () => {
    const env = { AUTH_PROVIDERS_SOURCE: 'yaml' };
    const live = {
      OIDC_ISSUER: 'https://id.example.com',
      OIDC_CLIENT_ID: 'finance',
      OIDC_CLIENT_SECRET: MARKER,
    };

    expect(await json(['providers', 'list'], { env })).toMatchObject([
      {
        name: 'openid_connect',
        usable: false,
        source: 'yaml',
        problem: 'not in use: set OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET',
      },
    ]);
    expect(await json(['providers', 'list', '--source', 'yaml'], { env: live })).toMatchObject([
      { usable: true, label: 'Sign in with OpenID Connect', problem: null },
    ]);
    expect(await json(['providers', 'show', 'openid_connect'], { env: { ...env, ...live } })).toMatchObject({
      client_secret: 'set',
      urls: { callback_url: 'https://finance.example.com/auth/openid_connect/callback' },
    });
  });

  test.each([['show'], ['urls'], ['test'], ['enable'], ['delete', '--yes'], ['update', '--label', 'x']])(
    '%s of what is not there exits with 3 and names what is',
    async (verb, ...flags) => {
      await givenProvider(harness);

      const { exitCode, stderr } = await cli(['providers', verb, 'otka', ...flags]);

      expect(exitCode).toBe(3);
      expect(stderr).toMatch(/"otka".*\n.*okta/);
    },
  );

  test('with nothing there says how to begin', async () => {
    const { stdout, stderr } = await cli(['provider', 'ls']);

    expect(stdout).toBe('');
    expect(stderr).toContain('providers create');
  });

  test('stored control characters do not reach the terminal', async () => {
    await givenProvider(harness);
    await harness.query(`update sso_providers set label = E'evil\\u001b[2J'`);

    const { stdout } = await cli(['providers', 'list']);

    expect(stdout).not.toContain('\u001b');
  });
});

describe('providers update', () => {
  test('says what changed, old and new, secrets by name only', async () => {
    await givenProvider(harness);

    const { exitCode, stderr } = await cli(
      ['providers', 'update', 'okta', '--label', 'Sign in', '--client-secret-stdin', '--trust-email'],
      { stdin: 'the-other-planted-secret' },
    );

    expect(exitCode).toBe(0);
    expect(stderr).toContain('label: "Company login" -> "Sign in"');
    expect(stderr).toMatch(/^ {2}client_secret$/m);
    expect(stderr).not.toContain('the-other-planted-secret');
    expect((await cli(['providers', 'update', 'okta', '--label', 'Sign in'])).stderr).toContain(
      'Nothing changed',
    );
  });

  test('asks a new issuer first', async () => {
    await givenProvider(harness);
    const { url } = await issuer();
    const wrong = await issuer(() => ({ issuer: 'https://evil.example' }));

    await ok(['providers', 'update', 'okta', '--issuer', url]);
    const refused = await cli(['providers', 'update', 'okta', '--issuer', wrong.url]);

    expect(refused.exitCode).toBe(5);
    expect(await json(['providers', 'show', 'okta'])).toMatchObject({ issuer: url });
  });

  test('renames, replaces the mappings alone, and takes fields away', async () => {
    const role_mapping = { mappings: [{ group: 'Old', role: 'admin' }], hierarchy: { admin: ['member'] } };
    await givenProvider(harness, { role_mapping, group_attribute: 'teams' });

    const updated = await json([
      'providers',
      'update',
      'okta',
      '--rename',
      'company',
      '--map',
      'New=admin',
      '--unset',
      'group-attribute',
      '--unset',
      'client_secret',
    ]);

    expect(updated.changed.toSorted()).toEqual(['client_secret', 'group_attribute', 'name', 'role_mapping']);
    expect(updated).toMatchObject({
      id: 'okta',
      name: 'company',
      client_secret: 'not set',
      role_mapping: { mappings: [{ group: 'New', role: 'admin' }], hierarchy: { admin: ['member'] } },
      urls: { callback_url: 'https://finance.example.com/auth/company/callback' },
    });
  });

  test('of nothing is a mistake', async () => {
    await givenProvider(harness);

    expect((await cli(['providers', 'update', 'okta'])).exitCode).toBe(2);
    expect((await cli(['providers', 'update', 'okta', '--unset', 'isuer'])).exitCode).toBe(5);
  });
});

describe('providers enable, disable and delete', () => {
  test('switch several, and go on after a failure', async () => {
    await givenProvider(harness);
    await givenProvider(harness, { name: 'google' });

    await ok(['providers', 'disable', 'okta', 'google', '--yes']);
    const { exitCode, stderr } = await cli(['providers', 'enable', 'okta', 'nobody', 'google']);

    expect(exitCode).toBe(6);
    expect(stderr).toContain('okta is enabled now');
    expect((await json(['providers', 'list', '--enabled'])).length).toBe(2);
  });

  test.each([
    ['disable', 4],
    ['delete', 4],
  ])('%s is refused where nobody can be asked', async (verb, code) => {
    await givenProvider(harness);

    const { exitCode, stderr } = await cli(['providers', verb, 'okta']);

    expect(exitCode).toBe(code);
    expect(stderr).toContain('--yes');
  });

  test('the only way in stays, unless forced', async () => {
    await givenProvider(harness);
    const env = { AUTH_LOCAL_LOGIN_ENABLED: 'false' };

    const refused = await cli(['providers', 'disable', 'okta', '--yes'], { env });
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('the only way in');
    await ok(['providers', 'delete', 'okta', '--yes', '--force-linked'], { env });
    expect(await json(['providers', 'list'])).toEqual([]);
  });
});

describe('providers test', () => {
  test('tells each check, and exits with 5 when something is wrong, 7 when nobody answers', async () => {
    const good = await issuer();
    const wrong = await issuer(() => ({ issuer: 'https://evil.example' }));
    const gone = await issuer();
    await gone.close();
    await givenProvider(harness, { name: 'good', issuer: good.url });
    await givenProvider(harness, { name: 'wrong', issuer: wrong.url });
    await givenProvider(harness, { name: 'gone', issuer: gone.url });

    expect(await json(['providers', 'test', 'good'])).toContainEqual(
      expect.objectContaining({ provider: 'good', check: 'issuer', status: 'ok' }),
    );
    expect((await cli(['providers', 'test', 'wrong'])).exitCode).toBe(5);
    expect((await cli(['providers', 'test', 'gone', '--timeout', '2'])).exitCode).toBe(7);
    expect((await cli(['providers', 'test', '--all'])).exitCode).toBe(5);
    expect((await cli(['providers', 'test'])).exitCode).toBe(2);
  });
});

describe('keys', () => {
  test('generate makes three different ones each time, that the settings accept', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'finance-keys-')), 'keys.env');
    await ok(['keys', 'generate', '-o', path]);
    const first = await readFile(path, 'utf8');
    const second = await ok(['keys', 'generate']);

    const env = Object.fromEntries(
      first
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    );
    expect(Object.keys(env)).toEqual(Object.keys(keys('')));
    expect(new Set([...Object.values(env), ...second.split('\n')]).size).toBe(6);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await ok(['config', 'check'], { env });
  });

  test('check and rotate say how the stored secrets stand', async () => {
    await givenProvider(harness);

    expect(await json(['keys', 'check'])).toEqual({ current: 1, older: 0, unreadable: [] });
    expect(await json(['keys', 'rotate'])).toEqual({ rotated: 0 });
    await harness.query(
      `update sso_providers set secrets = '{"client_secret": "v1.000000000000.${'A'.repeat(40)}"}'`,
    );
    const lost = await cli(['keys', 'check']);
    expect(lost.exitCode).toBe(5);
    expect(lost.stdout).toMatch(/cannot be decrypted +1/);
    expect(lost.stderr).toContain('another key');
    expect((await cli(['keys', 'rotate'])).exitCode).toBe(5);
  });
});

test('no command has printed a secret', () => {
  expect(printed.length).toBeGreaterThan(5_000);
  expect(printed).not.toContain(MARKER);
  expect(printed).not.toMatch(/PRIVATE KEY/);
});
