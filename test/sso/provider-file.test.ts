// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the files these tests read are written like this
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Variables } from '#src/kernel/variables.ts';
import { exportProviders, exportYaml } from '#src/sso/providers/file/export-providers.ts';
import { escapeReferences, interpolate } from '#src/sso/providers/file/interpolate.ts';
import { readProviderFile } from '#src/sso/providers/file/provider-file.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import { requireProvider } from '#src/sso/providers/provider-problems.ts';
import { listUnusable } from '#src/sso/providers/provider-source.ts';
import { yamlSource } from '#src/sso/providers/sources/yaml.ts';
import { ROLES } from '#src/users/role.ts';
import { fixture, OAUTH2, OIDC, SAML } from '#test/sso/given-provider.ts';

type Env = Record<string, string>;

const read = (text: string, env: Env = {}) => readProviderFile(text, 'auth.yml', new Variables(env));

const providersOf = (text: string, env: Env = {}) =>
  read(text, env).map(({ fields }) => parseProvider(fields).provider);

/** What a person is told about the first entry. */
function problemsOf(text: string, env: Env = {}): string[] {
  const [entry] = read(text, env);
  if (!entry) throw new Error('there is no entry');
  return [...entry.problems, ...entry.missingSecrets, ...(parseProvider(entry.fields).problems ?? [])].map(
    entry.locate,
  );
}

describe('references to the environment', () => {
  test.each<[string, Env, string]>([
    ['plain', {}, 'plain'],
    ['${A}', { A: 'value' }, 'value'],
    ['x${A}y${B}z', { A: '1', B: '2' }, 'x1y2z'],
    ['${A:-other}', {}, 'other'],
    ['${A:-other}', { A: 'value' }, 'value'],
    ['${A:-}', {}, ''],
    ['${A:-https://x.example/a b}', {}, 'https://x.example/a b'],
    ['<%= ENV["A"] %>', { A: 'value' }, 'value'],
    ["<%=ENV['A']%>", { A: 'value' }, 'value'],
    ['<%= ENV["A"] %>', {}, ''],
    ['<%= ENV.fetch("A", "other") %>', {}, 'other'],
    ["<%= ENV.fetch('A', 'it\"s') %>", {}, 'it"s'],
    ['<%= ENV.fetch("A", nil) %>', {}, ''],
    ['<%= ENV.fetch("A") %>', { A: 'value' }, 'value'],
    ['${A}', { A: '${B} <%= ENV["B"] %>' }, '${B} <%= ENV["B"] %>'],
    ['$${A} <%%= x', { A: 'value' }, '${A} <%= x'],
    ['$A $ {A} %> <', { A: 'value' }, '$A $ {A} %> <'],
  ])('%s', (text, env, expected) => {
    expect(interpolate(text, (name) => env[name])).toMatchObject({
      text: expected,
      missing: [],
      problem: undefined,
    });
  });

  test.each(['${A}', '<%= ENV.fetch("A") %>'])('%s must have a value', (text) => {
    expect(interpolate(text, () => undefined)).toMatchObject({ missing: [text] });
  });

  test.each([
    '${}',
    '${a-b}',
    '${A:+x}',
    '<% if true %>',
    '<%= `id` %>',
    '<%= ENV["A"].upcase %>',
    '<%= ENV["A"] + "x" %>',
  ])('%s is refused, and nothing is evaluated', (text) => {
    expect(interpolate(text, () => 'value').problem).toBeTruthy();
  });

  test('any text can be written so that it is read as itself', () => {
    const parts = fc.array(
      fc.constantFrom('$', '{', '}', 'A', '<', '%', '=', ':-', ' ', 'ENV["A"]', '${A}', '<%'),
    );
    fc.assert(
      fc.property(parts, (pieces) => {
        const text = pieces.join('');
        expect(interpolate(escapeReferences(text), () => 'wrong')).toMatchObject({
          text,
          missing: [],
          problem: undefined,
        });
      }),
    );
  });
});

const ONE = `
providers:
  - name: okta
    strategy: openid_connect
    issuer: https://example.okta.com
    client_id: 0012345678901234567890
    client_secret: \${SECRET}
`;

describe('a file', () => {
  test('gives its providers, numbers as they are written', () => {
    expect(providersOf(ONE, { SECRET: 'hush' })).toMatchObject([
      { name: 'okta', clientId: '0012345678901234567890', clientSecret: 'hush' },
    ]);
  });

  test.each(['', '# nothing', 'providers:', 'providers: []', 'default:\n  jit: {}\n'])(
    '%j has none',
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  test.each<[string, string]>([
    ['providers: {}', 'auth.yml:1: providers must be a list'],
    ['\n\nproviders:\n  - okta', 'auth.yml:4: a provider must be a mapping'],
    ['- a', 'auth.yml:1: must be a mapping'],
    ['a: 1\nproviders: [', 'auth.yml:2: is not valid YAML'],
    ['a: 1\na: 2', 'auth.yml:2: is not valid YAML (DUPLICATE_KEY)'],
    ['providers:\n  - name: *nobody', 'auth.yml:2: *nobody refers to nothing'],
    ['providers:\n  - &x\n    name: a\n    settings: *x', 'auth.yml:'],
    ['providers:\n  - &x\n    <<: *x', 'auth.yml:'],
    [`providers:\n  - role_mapping: ${'['.repeat(60)}${']'.repeat(60)}`, 'is nested too deeply'],
  ])('%j is refused with its line', (text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'configuration_invalid', message: expect.stringContaining(message) }),
    );
  });

  test('of a thousand aliases of aliases is refused at once', () => {
    const bomb = Array.from(
      { length: 12 },
      (_, n) =>
        `a${n}: &a${n} [${
          n === 0
            ? 'x'
            : Array(9)
                .fill(`*a${n - 1}`)
                .join(', ')
        }]`,
    );

    expect(() => read(`${bomb.join('\n')}\nproviders:\n  - name: *a11`)).toThrow('nested too deeply');
  });

  test('that cannot be read as YAML does not show its lines: there are secrets in them', () => {
    expect(() => read('client_secret: "hunter2" and more')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
    );
  });

  test.each<[string, Env, string[]]>([
    [ONE, {}, ['auth.yml:7: client_secret: ${SECRET} is not set']],
    [
      ONE.replace('issuer: https://', 'issuer: ${SCHEME}://'),
      { SECRET: 'x' },
      ['auth.yml:5: issuer: ${SCHEME} is not set', expect.stringMatching(/^auth\.yml:5: issuer: must be/)],
    ],
    [
      ONE.replace('issuer', 'isuer'),
      { SECRET: 'x' },
      ['auth.yml:3: issuer: must not be empty', expect.stringMatching(/^auth\.yml:5: isuer: /)],
    ],
    [
      ONE.replace('https://example.okta.com', '<%= ENV["ISSUER"] %>'),
      { SECRET: 'x' },
      ['auth.yml:5: issuer: must not be empty (ISSUER is not set)'],
    ],
    [
      ONE.replace('https://example.okta.com', '<%= 1 + 1 %>'),
      { SECRET: 'x' },
      [expect.stringContaining('auth.yml:5: issuer: of Ruby'), expect.anything()],
    ],
    [
      `${ONE}    role_mapping:\n      mappings:\n        - {group: A, role: root}\n`,
      { SECRET: 'x' },
      [expect.stringMatching(/^auth\.yml:9: role_mapping: mappings\[0\]\.role/)],
    ],
    [
      ONE,
      { SECRET_FILE: '/nowhere/secret' },
      ['auth.yml:7: client_secret: a file that a variable names cannot be read (ENOENT)'],
    ],
  ])('tells what is wrong with an entry, with its line', (text, env, problems) => {
    expect(problemsOf(text, env)).toEqual(problems);
  });

  test('with a name or an id twice says so at the second', () => {
    const [, second] = read(`${ONE}  - name: okta\n    strategy: saml\n`);
    expect(second?.problems.map(second.locate)).toEqual([
      'auth.yml:8: name: is the name of an entry before it',
    ]);
    const [, third] = read(`${ONE}  - name: other\n    id: okta\n`);
    expect(third?.problems.map(third.locate)).toEqual(['auth.yml:9: id: is the id of an entry before it']);
  });

  test('knows which entries hold a secret themselves', () => {
    expect(read(ONE, { SECRET: 'x' })[0]?.holdsSecret).toBe(false);
    expect(read(ONE.replace('${SECRET}', 'x'))[0]?.holdsSecret).toBe(true);
  });
});

describe('the file that is shipped', () => {
  const file = join(import.meta.dirname, '../../config/auth.yml');
  const THREE: Env = {
    OIDC_ISSUER: 'https://id.example.com',
    OIDC_CLIENT_ID: 'finance',
    OIDC_CLIENT_SECRET: 'hush',
  };
  const list = (env: Env) => yamlSource({ file, variables: new Variables(env) }).list();

  test('has one provider, live with three variables', async () => {
    expect(await list(THREE)).toEqual([
      expect.objectContaining({
        name: 'openid_connect',
        enabled: true,
        origin: 'yaml',
        provider: expect.objectContaining({
          issuer: 'https://id.example.com',
          clientSecret: 'hush',
          redirectUri: undefined,
        }),
      }),
    ]);
  });

  test('takes a label and another callback', async () => {
    const redirect = 'https://money.example.com/auth/openid_connect/callback';
    const [entry] = await list({ ...THREE, OIDC_BUTTON_LABEL: 'Company', OIDC_REDIRECT_URI: redirect });

    expect(entry).toMatchObject({ label: 'Company', provider: { redirectUri: redirect } });
  });

  test('is not in use without them', async () => {
    const [entry] = await list({});

    expect(entry?.provider).toBeUndefined();
    expect(entry?.problem).toBe('not in use: set OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET');
    expect(listUnusable(await list({}))).toEqual([]);
  });

  test.each(Object.keys(THREE))('says that %s alone is missing', async (name) => {
    const [entry] = await list(Object.fromEntries(Object.entries(THREE).filter(([key]) => key !== name)));

    expect(entry?.provider).toBeUndefined();
    expect(entry?.problem).toMatch(
      new RegExp(`auth\\.yml:\\d+: .*must not be empty \\(${name} is not set\\)`),
    );
  });

  test('that is gone is an error, never an empty list', () => {
    expect(() => yamlSource({ file: '/nowhere/auth.yml', variables: new Variables({}) })).toThrow(
      expect.objectContaining({
        code: 'configuration_invalid',
        hint: expect.stringContaining('AUTH_PROVIDERS_FILE'),
      }),
    );
  });
});

describe("a file in Sure's shape", () => {
  const text = readFileSync(join(import.meta.dirname, '../fixtures/sure-auth.yml'), 'utf8');
  const env = {
    OIDC_ISSUER: 'https://id.example.com',
    OIDC_CLIENT_ID: 'finance',
    OIDC_CLIENT_SECRET: 'hush',
    GITHUB_CLIENT_ID: 'gh',
    GITHUB_CLIENT_SECRET: 'gh-secret',
    SAML_IDP_CERTIFICATE: fixture('strong.crt').replaceAll('\n', '\\n'),
  };

  test('is read: sections, templates, settings, its role mapping and its own strategies', () => {
    const entries = read(text, env);

    expect(entries.map(({ name, unused }) => [name, unused])).toEqual([
      ['openid_connect', undefined],
      ['google_oauth2', 'not in use: set GOOGLE_OAUTH_CLIENT_ID, GOOGLE_OAUTH_CLIENT_SECRET'],
      ['github', undefined],
      ['corp', undefined],
    ]);
    expect(parseProvider(entries[0]?.fields ?? {}).provider).toMatchObject({
      id: 'oidc',
      name: 'openid_connect',
      label: 'Openid connect',
      scopes: ['openid', 'email', 'profile', 'groups'],
      redirectUri: undefined,
      roleMapping: {
        mappings: [
          { group: 'Platform Admins', role: 'super_admin' },
          { group: 'Finance Admins', role: 'admin' },
          { group: 'Finance/EU', role: 'admin' },
        ],
      },
    });
    expect(parseProvider(entries[2]?.fields ?? {}).provider).toMatchObject({
      strategy: 'oauth2',
      label: 'GitHub',
      clientId: 'gh',
      userInfoUrl: 'https://api.github.com/user',
    });
  });

  test('has SAML without what belongs to other strategies, or is not needed', () => {
    const corp = read(text, env)[3];

    expect(corp?.problems).toEqual([]);
    expect(parseProvider(corp?.fields ?? {}).provider).toMatchObject({
      strategy: 'saml',
      ssoUrl: 'https://idp.example.com/sso',
      logoutUrl: 'https://idp.example.com/slo',
      entityId: 'https://idp.example.com/entity',
      certificates: [fixture('strong.crt')],
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    });
  });

  test.each<[string, string[]]>([
    [
      'idp_sso_url: https://idp.example.com/sso\nidp_entity_id: urn:idp\nidp_cert_fingerprint: AB:CD',
      [
        'idp_cert_fingerprint: a fingerprint alone cannot verify: give idp_certificate or idp_metadata_url',
        'idp_cert_fingerprint: must not be empty without idp_metadata_url',
      ],
    ],
    [
      'idp_sso_url: nowhere',
      [
        'idp_sso_url: must be an absolute http:// or https:// URL',
        'idp_entity_id: must not be empty without idp_metadata_url',
        'idp_certificate: must not be empty without idp_metadata_url',
      ],
    ],
    ['idp_metadata_url: https://idp.example.com/metadata\nidp_cert_fingerprint: AB:CD', []],
    [
      'idp_metadata_url: https://idp.example.com/metadata\nidp_slo_url: x',
      [expect.stringMatching(/^idp_slo_url: /)],
    ],
    [
      'entity_id: urn:idp\ncertificate: x\nidp_sso_url: https://a.example',
      [expect.stringMatching(/^certificate: /)],
    ],
    [
      'sso_url: https://a.example\nentity_id: urn:idp',
      ['certificate: must not be empty without metadata_url'],
    ],
    [
      'idp_metadata_url: https://idp.example.com/metadata\nrole_mapping: { admin: ["*"] }',
      [expect.stringMatching(/^role_mapping: admin must not be \*.*set default_role/)],
    ],
  ])('is told what is wrong with SAML by the names it uses: %j', (settings, problems) => {
    const lines = settings.split('\n').map((line) => `      ${line}\n`);
    const entry = `providers:\n  - name: corp\n    strategy: saml\n    settings:\n${lines.join('')}`;

    expect(problemsOf(entry).map((problem) => problem.replace(/^auth\.yml:\d+: /, ''))).toEqual(problems);
  });

  test('gives Google its issuer', () => {
    const entries = read(text, { ...env, GOOGLE_OAUTH_CLIENT_ID: 'g', GOOGLE_OAUTH_CLIENT_SECRET: 's' });

    expect(parseProvider(entries[1]?.fields ?? {}).provider).toMatchObject({
      id: 'google',
      name: 'google_oauth2',
      strategy: 'openid_connect',
      issuer: 'https://accounts.google.com',
      label: 'Sign in with Google',
    });
  });
});

describe('what is exported', () => {
  test('is read back as the same providers, and holds no secret', () => {
    const words = fc
      .array(
        fc.constantFrom(
          'a',
          'Ä',
          ' ',
          ':',
          '#',
          '${A}',
          '<%',
          '"',
          "'",
          '\u200e',
          '\u2028',
          '|',
          '- ',
          '1',
          'yes',
          '\\',
        ),
      )
      .map((parts) => `x${parts.join('')}x`);
    const provider = fc.record({
      strategy: fc.constant('openid_connect'),
      name: fc.constantFrom('okta', 'my-idp'),
      label: words,
      enabled: fc.boolean(),
      issuer: fc.constant('https://id.example.com/realms/main'),
      client_id: fc.oneof(words, fc.constantFrom('007', '1e3', 'null', 'true', '0x1F')),
      client_secret: fc.constant('planted-secret'),
      trust_email: fc.boolean(),
      role_mapping: fc.record({
        mappings: fc.array(fc.record({ group: words, role: fc.constantFrom(...ROLES) }), { maxLength: 3 }),
        custom_mappings: fc.dictionary(words, fc.constant('profile.x'), { maxKeys: 2 }),
      }),
    });
    fc.assert(
      fc.property(provider, (fields) => {
        const before = requireProvider(fields);
        const exported = exportProviders([before]);
        const env = Object.fromEntries(exported.variables.map((name) => [name, 'planted-secret']));

        for (const text of [exportYaml(exported), JSON.stringify(exported)]) {
          expect(text).not.toContain('planted-secret');
          expect(providersOf(text, env)).toEqual([before]);
        }
      }),
    );
  });

  test('for each kind of provider', () => {
    const mapped = {
      name_id_format: 'persistent',
      email_attribute: 'urn:mail',
      first_name_attribute: 'urn:given',
      last_name_attribute: 'urn:family',
    };
    const providers = [OIDC, OAUTH2, { ...SAML, ...mapped }].map((fields) => requireProvider(fields));
    const exported = exportProviders(providers);
    const env = { OKTA_CLIENT_SECRET: OIDC.client_secret, GITHUB_CLIENT_SECRET: OAUTH2.client_secret };

    expect(exported.variables).toEqual(Object.keys(env));
    expect(providersOf(exportYaml(exported), env)).toEqual(providers);
  });
});
