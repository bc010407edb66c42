import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCertificate } from '#src/sso/providers/make-certificate.ts';
import { givenProvider, MARKER, OIDC, SAML } from '#test/sso/given-provider.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const cli = (argv: string[], { env = {}, ...options }: CliOptions = {}) =>
  runCli(['providers', ...argv], {
    runtime: harness.runtime,
    env: { AUTH_PROVIDERS_SOURCE: 'db', APP_URL: 'https://finance.example.com', ...env },
    ...options,
  });

const show = async (name: string) => JSON.parse((await cli(['show', name, '--json'])).stdout);

async function file(content: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'finance-fields-')), 'okta.yml');
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

const YAML = `strategy: openid_connect
name: okta
label: Company login
issuer: https://example.okta.com
client_id: finance
client_secret: \${OKTA_SECRET}
role_mapping:
  mappings: [{ group: board, role: admin }]
  custom_mappings: { given: first_name }
`;

describe('providers create --file', () => {
  test.each([
    ['fields', YAML],
    ['a file of one provider', `providers:\n  - ${YAML.trimEnd().replaceAll('\n', '\n    ')}\n`],
    ['JSON', JSON.stringify({ ...OIDC, label: 'Company login', client_secret: `\${OKTA_SECRET}` })],
  ])('takes %s, and variables in it', async (_, content) => {
    const { exitCode, stdout, stderr } = await cli(
      ['create', '--file', await file(content), '--skip-verify'],
      {
        env: { OKTA_SECRET: MARKER },
      },
    );

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('https://finance.example.com/auth/okta/callback\n');
    expect(await show('okta')).toMatchObject({ label: 'Company login', client_secret: 'set' });
    expect(stdout + stderr).not.toContain(MARKER);
  });

  test('lets flags decide over the file', async () => {
    const path = await file(YAML);
    const flags = [
      '--file',
      path,
      '--name',
      'corp',
      '--label',
      'Mine',
      '--map',
      'staff=member',
      '--disabled',
    ];

    await cli(['create', ...flags, '--skip-verify'], { env: { OKTA_SECRET: MARKER } });

    expect(await show('corp')).toMatchObject({
      label: 'Mine',
      enabled: false,
      issuer: 'https://example.okta.com',
      role_mapping: {
        mappings: [{ group: 'staff', role: 'member' }],
        custom_mappings: { given: 'first_name' },
      },
    });
  });

  test.each<[string, string, number, string]>([
    ['a secret that nobody has set', YAML, 5, `\${OKTA_SECRET} is not set`],
    ['a field that is none', `${YAML}isuer: x\n`.replace(`\${OKTA_SECRET}`, 's'), 5, 'isuer'],
    [
      'several providers',
      `providers:\n  - { name: a, strategy: saml }\n  - { name: b, strategy: saml }\n`,
      5,
      'several',
    ],
    ['none', 'providers: []\n', 5, 'has no provider'],
    ['no YAML', `"`, 5, 'not valid YAML'],
  ])('refuses %s, and saves nothing', async (_, content, code, message) => {
    const { exitCode, stderr } = await cli(['create', '--file', await file(content), '--skip-verify']);

    expect(exitCode, stderr).toBe(code);
    expect(stderr).toContain(message);
    expect(await harness.query('select 1 from sso_providers')).toEqual([]);
  });

  test('is written in a rehearsal only', async () => {
    const path = await file(YAML);
    const { exitCode, stderr } = await cli(['create', '--file', path, '--skip-verify', '--dry-run'], {
      env: { OKTA_SECRET: MARKER },
    });

    expect(exitCode, stderr).toBe(0);
    expect(await harness.query('select 1 from sso_providers')).toEqual([]);
  });
});

describe('providers update --file', () => {
  test('changes what the file says, shows it, and leaves the rest', async () => {
    await givenProvider(harness, { default_role: 'admin' });

    const { exitCode, stderr } = await cli([
      'update',
      'okta',
      '--file',
      await file('strategy: openid_connect\nlabel: New\n'),
    ]);

    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('"Company login" -> "New"');
    expect(await show('okta')).toMatchObject({ label: 'New', client_secret: 'set', default_role: 'admin' });
  });

  test('does not make it another kind of provider', async () => {
    await givenProvider(harness);

    const { exitCode, stderr } = await cli(['update', 'okta', '--file', await file('strategy: saml\n')]);

    expect(exitCode).toBe(5);
    expect(stderr).toContain('cannot be changed');
  });
});

test('--mappings-file may be YAML', async () => {
  await givenProvider(harness);
  const path = await file('mappings:\n  - { group: board, role: super_admin }\n');

  expect((await cli(['update', 'okta', '--mappings-file', path])).exitCode).toBe(0);
  expect((await show('okta')).role_mapping).toEqual({ mappings: [{ group: 'board', role: 'super_admin' }] });
  const broken = await cli(['update', 'okta', '--mappings-file', await file('mappings: [planted')]);
  expect(broken.exitCode).toBe(2);
  expect(broken.stderr).not.toContain('planted');
});

describe('providers show --metadata', () => {
  test('is what the address of our metadata gives', async () => {
    await givenProvider(harness, { ...BLANK, ...SAML });

    const { exitCode, stdout, stderr } = await cli(['show', 'adfs', '--metadata']);

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<md:EntityDescriptor .*<\/md:EntityDescriptor>\n$/s,
    );
    expect(stdout).toContain('entityID="https://finance.example.com/auth/saml/adfs"');
  });

  test('is refused of a provider that has none', async () => {
    await givenProvider(harness);

    expect((await cli(['show', 'okta', '--metadata'])).exitCode).toBe(4);
    expect((await cli(['show', 'nobody', '--metadata'])).exitCode).toBe(3);
  });
});

const ending = async (days: number) =>
  (await makeCertificate({ entityId: 'urn:x', use: 'signing', from: new Date(), days, bits: 2_048 }))
    .certificate;

test('providers list says how many days a certificate still has, when these are few', async () => {
  await givenProvider(harness, { ...BLANK, ...SAML, name: 'soon', certificate: await ending(21) });
  await givenProvider(harness, { ...BLANK, ...SAML, name: 'later', certificate: await ending(60) });

  const { stdout } = await cli(['list']);

  expect(stdout).toMatch(/^soon\t.*\d-\d\d \(20 days\)\t/m);
  expect(stdout).toMatch(/^later\t.*\d-\d\d\t/m);
});

/** Takes the fields of OpenID Connect away again. */
const BLANK = { issuer: undefined, client_id: undefined, client_secret: undefined };
