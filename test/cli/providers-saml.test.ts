import { X509Certificate } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { givenMetadata, samlFixture } from '#test/sso/given-metadata.ts';
import { fixture, givenProvider, SAML } from '#test/sso/given-provider.ts';
import { type AnswerOptions, createSamlIdp } from '#test/sso/support/saml-idp.ts';
import { type CliOptions, type CliResult, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const ENV = { AUTH_PROVIDERS_SOURCE: 'db', APP_URL: 'https://finance.example.com' };

const CREATE = ['providers', 'create', '--strategy', 'saml', '--name', 'corp'];

const BLANK = { issuer: undefined, client_id: undefined, client_secret: undefined };

const cli = (argv: string[], { env = {}, ...options }: CliOptions = {}): Promise<CliResult> =>
  runCli(argv, { runtime: harness.runtime, env: { ...ENV, ...env }, ...options });

async function ok(argv: string[], options: CliOptions = {}): Promise<CliResult> {
  const result = await cli(argv, options);
  expect(result.exitCode, result.stderr).toBe(0);
  return result;
}

const json = async (argv: string[], options: CliOptions = {}) =>
  JSON.parse((await ok([...argv, '--json'], options)).stdout);

async function file(content: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'finance-saml-')), 'file');
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

async function published(xml = samlFixture('okta.xml')) {
  const server = await givenMetadata(xml);
  onTestFinished(() => server.close());
  return server;
}

const givenSaml = (fields: Record<string, unknown> = {}) =>
  givenProvider(harness, { ...BLANK, ...SAML, name: 'corp', ...fields });

const dump = async () =>
  JSON.stringify(
    await harness.query(`select (select json_agg(p order by id) from sso_providers p) as providers,
      (select json_agg(m) from provider_metadata m) as metadata,
      (select count(*) from audit_events) as events`),
  );

describe('providers create from metadata', () => {
  test('takes one command: asks, shows what was found, keeps the address alone, and knows the rest', async () => {
    const { url } = await published();

    const { stdout, stderr } = await ok([...CREATE, '--metadata-url', url]);

    expect(stdout).toBe('https://finance.example.com/auth/saml/corp/callback\n');
    expect(stderr).toContain('entity id: http://www.okta.com/');
    expect(stderr).toMatch(/sign-in URL: https:\/\/\S+ \((redirect|post)\)/);
    expect(stderr).toMatch(/certificate: .*CN=.*, until 20\d\d-/);
    expect(stderr).toMatch(/SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}/);
    expect(stderr).toContain('https://finance.example.com/auth/saml/corp/metadata');
    const shown = await json(['providers', 'show', 'corp']);
    expect(shown).toMatchObject({
      strategy: 'saml',
      metadata_url: url,
      in_use: {
        entity_id: expect.stringContaining('http://www.okta.com/'),
        certificates: [{ fingerprint_sha256: expect.stringMatching(/^([0-9A-F]{2}:){31}/), problem: null }],
        single_logout: { works: false },
        metadata: { fetched_at: expect.stringMatching(/^20/), problem: null },
      },
    });
    expect(Object.keys(shown)).not.toContain('sso_url');
    expect(await json(['providers', 'list'])).toMatchObject([
      {
        issuer: shown.in_use.sso_url,
        certificate_expires_at: shown.in_use.certificates[0].expires_at,
        usable: true,
      },
    ]);
  });

  test('needs no --strategy, keeps what flags say beside it, and says single logout still needs a key', async () => {
    const { url } = await published(samlFixture('keycloak.xml'));
    const flags = ['--metadata-url', url, '--name', 'kc', '--group-attribute', 'teams', '--map', 'A=admin'];

    const { stderr } = await ok(['providers', 'create', ...flags, '--sso-url', 'https://other.example/sso']);

    expect(stderr).toContain('It wants signed requests');
    const shown = await ok(['providers', 'show', 'kc']);
    expect(shown.stdout).toMatch(/used sso url +https:\/\/other\.example\/sso\n/);
    expect(shown.stdout).toMatch(/single logout +needs a key\n/);
    expect(shown.stdout).toMatch(/metadata read +20/);
    expect(await json(['providers', 'show', 'kc'])).toMatchObject({ group_attribute: 'teams' });
  });

  test('of a preset needs nothing else', async () => {
    const { url } = await published();

    await ok(['providers', 'create', '--preset', 'okta_saml', '--metadata-url', url]);

    expect(await json(['providers', 'show', 'okta_saml'])).toMatchObject({
      label: 'Sign in with Okta',
      metadata_url: url,
    });
  });

  test.each(['keycloak', 'okta', 'entra', 'adfs', 'google', 'shibboleth', 'simplesamlphp'])(
    'reads the metadata of %s from standard input, and keeps no address',
    async (shape) => {
      await ok([...CREATE, '--metadata-file', '-'], { stdin: samlFixture(`${shape}.xml`) });

      const shown = await json(['providers', 'show', 'corp']);
      expect(shown).toMatchObject({
        entity_id: expect.any(String),
        sso_url: expect.stringMatching(/^https:/),
        certificate: expect.stringContaining('BEGIN CERTIFICATE'),
        in_use: { metadata: null },
      });
      expect(Object.keys(shown)).not.toContain('metadata_url');
    },
  );

  test('warns of a provider whose names do not last', async () => {
    const stdin = samlFixture('simplesamlphp.xml');

    const { stderr } = await ok([...CREATE, '--metadata-file', '-'], { stdin });

    expect(stderr).toContain('It offers transient NameIDs alone');
  });

  test.each<[string, string, string[], number, string]>([
    ['a page instead', '<!doctype html><html><body>Sign in</body></html>', [], 5, 'metadata of the identity'],
    [
      'a document type',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
      [],
      5,
      'metadata of the identity provider',
    ],
    ['nothing to do with SAML', '<a/>', [], 5, 'an XML file, not the page'],
    ['another entity id', samlFixture('okta.xml'), ['--entity-id', 'urn:other'], 5, 'belongs to another'],
  ])('refuses %s with a clear sentence, and saves nothing', async (_, xml, flags, code, message) => {
    const { url } = await published(xml);
    const before = await dump();

    const byUrl = await cli([...CREATE, '--metadata-url', url, ...flags]);
    const byFile = await cli([...CREATE, '--metadata-file', await file(xml), ...flags]);

    for (const { exitCode, stderr, stdout } of [byUrl, byFile]) {
      expect(exitCode, stderr).toBe(code);
      expect(stderr).toContain(message);
      expect(stderr + stdout).not.toContain('Sign in');
    }
    expect(byUrl.stderr).toContain('--skip-verify');
    expect(await dump()).toBe(before);
  });

  test('needs to be told which of several providers is meant', async () => {
    const several = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${bare('okta.xml')}${bare('google.xml')}</md:EntitiesDescriptor>`;
    const path = await file(several);

    const unsaid = await cli([...CREATE, '--metadata-file', path]);
    const entityId = /entityID="(http:\/\/www\.okta[^"]+)"/.exec(several)?.[1] ?? '';
    await ok([...CREATE, '--metadata-file', path, '--entity-id', entityId]);

    expect(unsaid.exitCode).toBe(5);
    expect(unsaid.stderr).toContain('2 identity providers: the entity id must say which');
    expect(await json(['providers', 'show', 'corp'])).toMatchObject({ entity_id: entityId });
  });

  test('exits with 7 when nobody answers, unless it is not asked', async () => {
    const gone = await published();
    await gone.close();
    const { url } = gone;

    const refused = await cli([...CREATE, '--metadata-url', url]);
    await ok([...CREATE, '--metadata-url', url, '--skip-verify']);

    expect(refused.exitCode, refused.stderr).toBe(7);
    expect(refused.stderr).toContain('cannot be reached');
    expect(await json(['providers', 'show', 'corp'])).toMatchObject({
      in_use: { sso_url: null, certificates: [], metadata: { fetched_at: null } },
    });
  });

  test.each<[string[], string]>([
    [['--metadata-url', 'https://a.example', '--metadata-file', 'x'], 'cannot be used with'],
    [['--metadata-file', '-'], 'standard input is empty'],
    [['--logout-binding', 'soap'], 'Allowed choices are redirect, post'],
  ])('%j is a mistake', async (flags, message) => {
    const { exitCode, stderr } = await cli([...CREATE, ...flags]);

    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});

/** A fixture as part of a larger document. */
const bare = (name: string) => samlFixture(name).replace(/<\?xml[^>]*\?>/, '');

describe('certificates and keys in files', () => {
  const BASE = ['--entity-id', 'urn:a', '--sso-url', 'https://a.example/sso'];

  test.each<[string, string, string[], string]>([
    [
      'an EC certificate',
      fixture('elliptic.crt'),
      [],
      'certificate: must be an RSA certificate of at least 2048',
    ],
    ['a weak one', fixture('weak.crt'), [], 'certificate: must be an RSA certificate of at least 2048'],
    ['an expired one', fixture('expired.crt'), [], 'certificate: expired on'],
    ['a key in its place', fixture('other.key'), [], 'certificate: is a key, not a certificate'],
    [
      'a key that is not of its certificate',
      fixture('strong.crt'),
      ['--private-key-file', 'other.key', '--sp-certificate-file', 'strong.crt'],
      'private_key: does not belong to the certificate',
    ],
  ])('%s is refused by name, never by value', async (_, certificate, others, message) => {
    const before = await dump();
    const own = await Promise.all(
      others.map(async (each) => (each.startsWith('--') ? each : file(fixture(each)))),
    );

    const { exitCode, stderr } = await cli([
      ...CREATE,
      ...BASE,
      '--certificate-file',
      await file(certificate),
      ...own,
    ]);

    expect(exitCode).toBe(5);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/MII|PRIVATE KEY/);
    expect(await dump()).toBe(before);
  });

  test('a key may come through standard input', async () => {
    const files = ['--certificate-file', await file(fixture('other.crt'))];
    const own = ['--sp-certificate-file', await file(fixture('strong.crt')), '--private-key-file', '-'];

    const { stdout, stderr } = await ok([...CREATE, ...BASE, ...files, ...own], {
      stdin: fixture('strong.key'),
    });

    expect(stdout + stderr).not.toContain('PRIVATE KEY');
    expect(await json(['providers', 'show', 'corp'])).toMatchObject({ private_key: 'set' });
  });
});

test('providers create takes a NameID format by its short name, and names of attributes', async () => {
  const flags = ['--email-attribute', 'urn:mail', '--first-name-attribute', 'urn:given'];
  const { url } = await published();

  const transient = await cli([...CREATE, '--metadata-url', url, '--name-id-format', 'transient']);
  await ok([...CREATE, '--metadata-url', url, '--name-id-format', 'persistent', ...flags]);

  expect([transient.exitCode, transient.stderr]).toEqual([5, expect.stringContaining('nobody can be known')]);
  const shown = await json(['providers', 'show', 'corp']);
  expect(shown).toMatchObject({
    name_id_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    email_attribute: 'urn:mail',
    first_name_attribute: 'urn:given',
    in_use: { name_id_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' },
  });
});

test('providers create leaves the NameID format to metadata that is read again', async () => {
  const { url } = await published(samlFixture('shibboleth.xml'));

  await ok([...CREATE, '--metadata-url', url]);

  const shown = await json(['providers', 'show', 'corp']);
  expect(Object.keys(shown)).not.toContain('name_id_format');
  expect(shown.in_use.name_id_format).toBe('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent');
});

describe('providers update from metadata', () => {
  test('by file replaces all that metadata decides, and the address too', async () => {
    await givenSaml({
      metadata_url: 'https://old.example/metadata',
      logout_url: 'https://old.example/logout',
    });

    await ok(['providers', 'update', 'corp', '--metadata-file', await file(samlFixture('google.xml'))]);

    const shown = await json(['providers', 'show', 'corp']);
    expect(shown.entity_id).toContain('google');
    expect(Object.keys(shown)).not.toContain('metadata_url');
    expect(Object.keys(shown)).not.toContain('logout_url');
  });

  test('by address asks first, and tells what is configured over it', async () => {
    await givenSaml({ name_id_format: 'persistent' });
    const wrong = await published('<a/>');
    const right = await published();
    const entity = ['--unset', 'entity_id', '--unset', 'certificate'];

    const refused = await cli(['providers', 'update', 'corp', '--metadata-url', wrong.url, ...entity]);
    const { stderr } = await ok(['providers', 'update', 'corp', '--metadata-url', right.url, ...entity]);

    expect(refused.exitCode).toBe(5);
    expect(stderr).toContain('not taken from the metadata: sso_url, name_id_format');
    expect(await json(['providers', 'show', 'corp'])).toMatchObject({
      in_use: { sso_url: SAML.sso_url, entity_id: expect.stringContaining('okta') },
    });
  });
});

const keygenOf = (...flags: string[]) => ['providers', 'keygen', 'corp', '--bits', '2048', ...flags];

describe('providers keygen', () => {
  test('makes a key, stores it encrypted, prints the certificate alone and says what to do next', async () => {
    await givenSaml();

    const { stdout, stderr } = await ok(['providers', 'keygen', 'corp', '--days', '400', '--bits', '2048']);

    const certificate = new X509Certificate(stdout);
    expect(certificate.subject).toBe('CN=https://finance.example.com/auth/saml/corp');
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2_048);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    const days = (certificate.validToDate.getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(400);
    expect(stdout + stderr).not.toContain('PRIVATE KEY');
    expect(stderr).toContain(certificate.fingerprint256);
    expect(stderr).toContain('https://finance.example.com/auth/saml/corp/metadata');
    expect(stderr).toContain('providers update corp --sign-requests');
    expect((await ok(['providers', 'show', 'corp'])).stdout).toMatch(
      /sp certificate +CN=https:\/\/\S+, until 20\d\d-\d\d-\d\d, SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}\n/,
    );
    expect(await json(['providers', 'show', 'corp'])).toMatchObject({
      private_key: 'set',
      sp_certificate: certificate.toString(),
    });
    const [row] = await harness.query<{ secrets: string }>('select secrets::text from sso_providers');
    expect(row?.secrets).not.toContain('PRIVATE KEY');
    const events = await harness.query(
      `select metadata->'fields' as fields from audit_events where event_type = 'provider_updated' order by id desc limit 1`,
    );
    expect(events).toEqual([{ fields: ['private_key', 'sp_certificate'] }]);
  });

  test('for encryption is another key, and a key that is there goes only when told to', async () => {
    await givenSaml();
    const signing = await ok(keygenOf());

    const { stdout, stderr } = await ok([...keygenOf('--for', 'encryption'), '--json']);
    const encryption = JSON.parse(stdout);
    const refused = await cli(keygenOf());
    const replaced = await ok(keygenOf('--replace'));

    expect(encryption).toMatchObject({ for: 'encryption', name: 'corp' });
    expect(stderr).toContain('aes128-gcm');
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('--replace');
    expect(replaced.stdout).not.toBe(signing.stdout);
    expect(await json(['providers', 'show', 'corp'])).toMatchObject({
      decryption_certificate: encryption.certificate,
      sp_certificate: replaced.stdout,
    });
  });

  test('as a rehearsal saves nothing', async () => {
    await givenSaml();
    const before = await dump();

    const { stderr } = await ok(['providers', 'keygen', 'corp', '--bits', '2048', '--dry-run']);

    expect(stderr).toContain('DRY RUN');
    expect(await dump()).toBe(before);
  });

  test.each<[string[], number, string]>([
    [['okta'], 4, 'only SAML providers'],
    [['corp', '--bits', '1024'], 5, 'bits: must be'],
    [['corp', '--days', '99999'], 5, 'days: must be'],
    [['corp', '--for', 'fun'], 2, 'Allowed choices'],
    [['nobody'], 3, 'nobody'],
  ])('%j is refused', async (argv, code, message) => {
    await givenProvider(harness);
    await givenSaml();

    const { exitCode, stderr } = await cli(['providers', 'keygen', ...argv]);

    expect(stderr).toContain(message);
    expect(exitCode).toBe(code);
  });
});

const givenUnasked = (name: string, url: string) =>
  ok(['providers', 'create', '--name', name, '--metadata-url', url, '--skip-verify']);

describe('providers test of SAML', () => {
  test('asks for the metadata and judges it; exit codes tell trouble, outage and warning apart', async () => {
    const good = await published();
    const wrong = await published('<a/>');
    const gone = await published();
    await gone.close();
    await givenUnasked('good', good.url);
    await givenUnasked('wrong', wrong.url);
    await givenUnasked('gone', gone.url);

    const checks = await json(['providers', 'test', 'good']);
    const soon = ['providers', 'test', 'good', '--warn-cert-days', '99999', '--exit-code'];

    expect(checks).toContainEqual(expect.objectContaining({ check: 'metadata', status: 'ok' }));
    expect(checks).toContainEqual(expect.objectContaining({ check: 'certificates', status: 'ok' }));
    expect((await cli(soon)).exitCode).toBe(8);
    expect((await ok(soon.slice(0, -1))).stderr).toContain('look at the warnings (');
    expect((await cli(['providers', 'test', 'wrong'])).exitCode).toBe(5);
    expect((await cli(['providers', 'test', 'gone', '--timeout', '2'])).exitCode).toBe(7);
  });
});

describe('providers preview of a SAML response', () => {
  const acsUrl = `${ENV.APP_URL}/auth/saml/corp/callback`;
  const PREVIEW = ['providers', 'preview', 'corp', '--response'];

  async function answered(options: Partial<AnswerOptions> = {}) {
    const idp = await createSamlIdp();
    const role_mapping = { mappings: [{ group: 'Finance-Admins', role: 'admin' }] };
    await givenProvider(harness, { ...BLANK, ...idp.fields({ role_mapping }) });
    const attributes = { email: 'ada@example.com', groups: ['Finance-Admins', 'staff'] };
    const { SAMLResponse } = await idp.answer({ acsUrl, requestId: '_asked', attributes, ...options });
    return SAMLResponse;
  }

  test('explains each check in order, then who it would be, groups and role; nobody is signed in', async () => {
    const response = await answered();
    const before = await dump();

    const { stdout } = await ok([...PREVIEW, await file(response)]);

    const said = stdout.split('\n').map((line) => line.split(/ {2,}/)[0]);
    expect(said.slice(0, 3)).toEqual(['message', 'response', 'status']);
    expect(said.indexOf('signature')).toBeGreaterThan(said.indexOf('destination'));
    expect(said.indexOf('audience')).toBeLessThan(said.indexOf('identity'));
    expect(stdout).toMatch(/identity +ada@example\.com\n/);
    expect(stdout).toMatch(/groups in claims +Finance-Admins, staff\n/);
    expect(stdout).toMatch(/role +admin \(the highest of all that match\)\n/);
    expect(stdout).toMatch(/account +create ada@example\.com\n/);
    expect(await dump()).toBe(before);
    expect(await harness.query('select 1 from used_assertions')).toEqual([]);
  });

  test.each<[string, (base64: string) => string]>([
    ['XML', (base64) => Buffer.from(base64, 'base64').toString()],
    [
      'the form as it was sent',
      (base64) => new URLSearchParams({ SAMLResponse: base64, RelayState: 'x' }).toString(),
    ],
    ['the field as it was sent', (base64) => encodeURIComponent(base64)],
  ])('reads %s, from standard input', async (_, shape) => {
    const response = await answered({ misbehave: {} });

    const result = await json([...PREVIEW, '-'], { stdin: `\n${shape(response)}\n` });

    expect(result).toMatchObject({ accepted: true, role: 'admin', identity: { subject: 'ada@example.com' } });
  });

  test('goes on after what would be refused, and exits with 5 and the reasons', async () => {
    const response = await answered({ misbehave: { audience: 'https://other.example' } });

    const { exitCode, stdout, stderr } = await cli([...PREVIEW, await file(response), '--json']);

    const { accepted, steps, identity } = JSON.parse(stdout);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('audience_mismatch');
    expect({ accepted, identity }).toEqual({ accepted: false, identity: null });
    expect(steps).toContainEqual(expect.objectContaining({ name: 'signature', status: 'ok' }));
    expect(steps).toContainEqual(
      expect.objectContaining({ name: 'audience', status: 'fail', reason: 'audience_mismatch' }),
    );
    expect(steps).toContainEqual(expect.objectContaining({ name: 'name id', status: 'ok' }));
  });

  test('judges an older one as of when it came', async () => {
    const response = await file(await answered());
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+/, '');
    const now = new Date().toISOString().replace(/\.\d+/, '');

    const late = await cli([...PREVIEW, response, '--at', tomorrow]);
    const timely = await cli([...PREVIEW, response, '--at', now]);

    expect([late.exitCode, timely.exitCode]).toEqual([5, 0]);
    expect(late.stderr).toContain('token_expired');
  });

  test.each<[string[], number, string]>([
    [['corp'], 2, '--claims or --response is required'],
    [['corp', '--claims', 'x', '--response', 'y'], 2, 'cannot be used with'],
    [['corp', '--claims', '/dev/null', '--at', '2026-01-01'], 2, '--at goes with --response'],
    [['okta', '--response', '/dev/null'], 4, 'knows no responses'],
    [['corp', '--response', '/dev/null'], 5, 'message_invalid'],
    [['corp', '--response', '/nowhere/x'], 3, 'No such file'],
  ])('%j is refused', async (argv, code, message) => {
    await givenProvider(harness);
    await givenSaml();

    const { exitCode, stderr } = await cli(['providers', 'preview', ...argv]);

    expect(stderr).toContain(message);
    expect(exitCode).toBe(code);
  });
});

describe('providers export and migrate of SAML', () => {
  test('bring back what was there, and know entries that have a metadata URL alone', async () => {
    const { url } = await published();
    await ok([...CREATE, '--metadata-url', url]);
    await ok([
      'providers',
      'update',
      'corp',
      '--logout-binding',
      'post',
      '--logout-response-url',
      'https://a.example/x',
    ]);
    await ok(['providers', 'keygen', 'corp', '--bits', '2048']);

    const exported = (await ok(['providers', 'export'])).stdout;
    const again = await json(['providers', 'migrate', '--file', await file(exported)], {
      env: { CORP_PRIVATE_KEY: '' },
    });

    expect(exported).not.toContain('PRIVATE KEY-');
    expect(exported).toContain(`metadata_url: ${url}`);
    expect(again).toMatchObject({ errors: 0, steps: [{ action: 'skip', details: ['no changes'] }] });
  });

  test('ask for new metadata first', async () => {
    const server = await published('<html/>');
    const yaml = `providers:\n  - name: corp\n    strategy: saml\n    metadata_url: ${server.url}\n`;
    const migrate = ['providers', 'migrate', '--file', await file(yaml)];

    const { exitCode, stdout } = await cli(migrate);
    server.publish(samlFixture('okta.xml'));
    await ok(migrate);

    expect(exitCode).toBe(5);
    expect(stdout).toContain('metadata_url: The metadata of the identity provider cannot be used');
    expect(await json(['providers', 'show', 'corp'])).toMatchObject({ metadata_url: server.url });
  });
});
