import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import { changedFields, fieldsOf } from '#src/sso/providers/provider-fields.ts';
import { requireProvider, requireValidCertificates } from '#src/sso/providers/provider-problems.ts';
import { ROLES } from '#src/users/role.ts';
import { fixture, MARKER, OAUTH2, OIDC, SAML } from '#test/sso/given-provider.ts';

const problemsOf = (fields: Record<string, unknown>) =>
  (parseProvider(fields).problems ?? []).map(({ field, message }) => `${field}: ${message}`);

const fieldsWrong = (fields: Record<string, unknown>) =>
  (parseProvider(fields).problems ?? []).map(({ field }) => field);

const mappingOf = (role_mapping: unknown) => parseProvider({ ...OIDC, role_mapping }).provider?.roleMapping;

const wrongWith = (role_mapping: unknown) => problemsOf({ ...OIDC, role_mapping });

const saml = (fields: Record<string, unknown>) => ({ ...SAML, ...fields });

describe('the least there can be', () => {
  test('of OpenID Connect', () => {
    expect(parseProvider({ ...OIDC, label: '' }).provider).toEqual({
      strategy: 'openid_connect',
      id: 'okta',
      name: 'okta',
      label: 'Okta',
      enabled: true,
      issuer: 'https://example.okta.com',
      clientId: 'finance',
      clientSecret: MARKER,
      scopes: ['openid', 'profile', 'email'],
      tokenEndpointAuth: 'client_secret_post',
      defaultRole: 'member',
      trustEmail: false,
      roleMapping: { mappings: [], conditions: [], hierarchy: {}, customMappings: {} },
    });
  });

  test('of OAuth 2.0', () => {
    expect(parseProvider(OAUTH2).provider).toMatchObject({
      strategy: 'oauth2',
      scopes: [],
      tokenEndpointAuth: 'client_secret_post',
      attributes: { subject: 'id', email: 'email', name: 'name' },
    });
  });

  test('of SAML', () => {
    expect(parseProvider(SAML).provider).toMatchObject({
      strategy: 'saml',
      nameIdFormat: undefined,
      attributes: { email: undefined, firstName: undefined, lastName: undefined },
      certificates: [expect.stringContaining('BEGIN CERTIFICATE')],
      signRequests: false,
      allowIdpInitiated: false,
      allowSha1: false,
    });
  });
});

describe('everything wrong is told at once, by field', () => {
  test('for each kind of provider', () => {
    expect(fieldsWrong({ strategy: 'openid_connect', name: '', scopes: 'email' })).toEqual([
      'name',
      'scopes',
      'issuer',
      'client_id',
    ]);
    expect(fieldsWrong({ strategy: 'oauth2', name: 'x' })).toEqual([
      'authorization_url',
      'token_url',
      'userinfo_url',
      'client_id',
      'client_secret',
    ]);
    expect(fieldsWrong({ strategy: 'saml', name: 'x' })).toEqual(['entity_id', 'sso_url', 'certificate']);
    expect(fieldsWrong({ name: 'x' })[0]).toBe('strategy');
    expect(fieldsWrong({ ...OIDC, strategy: 'ldap' })).toEqual(['strategy']);
  });

  test('as validation_failed', () => {
    expect(() => requireProvider({ strategy: 'openid_connect', name: 'Okta', issuer: 'x' })).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        errors: [
          expect.stringMatching(/^name: /),
          expect.stringMatching(/^issuer: /),
          expect.stringMatching(/^client_id: /),
        ],
      }),
    );
  });

  test.each<[string, Record<string, unknown>]>([
    ['name', { name: 'Okta' }],
    ['name', { name: '1okta' }],
    ['name', { name: 'ok.ta' }],
    ['name', { name: 'ok/ta' }],
    ['name', { name: 'o'.repeat(64) }],
    ['name', { name: 'saml' }],
    ['name', { name: 'logout' }],
    ['name', { name: 'failure' }],
    ['name', { name: ['okta'] }],
    ['id', { id: 'Not a slug' }],
    ['label', { label: 'a\u0007bell' }],
    ['label', { label: 'x'.repeat(101) }],
    ['enabled', { enabled: 'yes' }],
    ['default_role', { default_role: 'root' }],
    ['trust_email', { trust_email: 1 }],
    ['scopes', { scopes: 'profile email' }],
    ['scopes', { scopes: 'openid "quoted"' }],
    ['scopes', { scopes: [1] }],
    ['token_endpoint_auth', { token_endpoint_auth: 'none' }],
    ['client_id', { client_id: { $ne: '' } }],
    ['client_secret', { client_secret: 'two\nlines' }],
    ['isuer', { isuer: 'https://typo.example' }],
    ['authorization_url', { authorization_url: 'https://not.a/field/of/oidc' }],
    ['redirect_uri', { redirect_uri: 'https://example.com/elsewhere' }],
    ['redirect_uri', { redirect_uri: 'https://example.com/auth/okta/callback?x=1' }],
  ])('%s: %j', (field, fields) => {
    expect(fieldsWrong({ ...OIDC, ...fields })).toEqual([field]);
  });

  test.each(['okta', 'o', 'a_b-c9', 'o'.repeat(63), 'saml2', 'logouts'])('the name %s is a name', (name) => {
    expect(fieldsWrong({ ...OIDC, name })).toEqual([]);
  });

  test('an OAuth 2.0 provider must not ask for openid', () => {
    expect(fieldsWrong({ ...OAUTH2, scopes: 'openid' })).toEqual(['scopes']);
  });
});

describe('URLs', () => {
  const bad = [
    'example.com',
    '/relative',
    '//example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://example.com',
    'https:example.com',
    'https://user@example.com',
    'https://user:secret@example.com',
    'https://example.com/#fragment',
    'https://example.com/#',
    'https://exa mple.com',
    'https://example.com\\@evil.example',
    'https://',
    'http://[::1',
  ];
  const urlFields: [string, Record<string, unknown>][] = [
    ['issuer', OIDC],
    ['redirect_uri', OIDC],
    ['authorization_url', OAUTH2],
    ['token_url', OAUTH2],
    ['userinfo_url', OAUTH2],
    ['emails_url', OAUTH2],
    ['sso_url', SAML],
    ['logout_url', SAML],
    ['metadata_url', SAML],
  ];

  test.each(urlFields)(
    '%s must be absolute, http(s), without credentials and fragment',
    (field, provider) => {
      for (const url of bad) expect(fieldsWrong({ ...provider, [field]: url }), url).toContain(field);
      expect(problemsOf({ ...provider, [field]: 'https://user:hunter2@example.com' }).join()).not.toContain(
        'hunter2',
      );
    },
  );

  test.each(['https://example.com/.well-known/openid-configuration', 'https://example.com/?tenant=1'])(
    '%s is no issuer',
    (issuer) => {
      expect(fieldsWrong({ ...OIDC, issuer })).toEqual(['issuer']);
    },
  );

  test.each([
    'https://example.com/',
    'https://example.com/realms/main',
    'http://localhost:8080',
    'http://[::1]:80',
  ])('%s is kept as it is written', (issuer) => {
    expect(parseProvider({ ...OIDC, issuer }).provider).toMatchObject({ issuer });
  });
});

describe('the NameID format', () => {
  test.each([
    ['emailAddress', 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'],
    ['persistent', 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'],
    ['unspecified', 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'],
    ['urn:example:badge', 'urn:example:badge'],
    ['https://idp.example.com/formats/x?y=%20', 'https://idp.example.com/formats/x?y=%20'],
  ])('%s is kept as a URI', (name_id_format, nameIdFormat) => {
    expect(parseProvider(saml({ name_id_format })).provider).toMatchObject({ nameIdFormat });
  });

  test.each([
    ['transient', /nobody can be known by it/],
    ['urn:oasis:names:tc:SAML:2.0:nameid-format:transient', /nobody can be known by it/],
    ['email', /must be emailAddress, persistent, unspecified, or the URI/],
    ['urn:a b', /or the URI/],
    ['urn:a<b>', /or the URI/],
    ['1urn:a', /or the URI/],
  ])('%s is refused', (name_id_format, message) => {
    expect(problemsOf(saml({ name_id_format }))).toEqual([
      expect.stringMatching(new RegExp(`^name_id_format: .*${message.source}`)),
    ]);
  });
});

describe('role mapping', () => {
  test('has four shapes, as an object or as JSON', () => {
    const mapping = {
      mappings: [{ group: 'Finance Admins/EU', role: 'admin' }],
      conditions: [{ attribute: 'department', value: 'IT', groups: [], role: 'super_admin' }],
      hierarchy: { super_admin: ['admin', 'member'], admin: ['member'] },
      custom_mappings: { given_name: 'first_name', 'address.city': 'profile.city' },
    };

    expect(mappingOf(mapping)).toEqual({
      mappings: mapping.mappings,
      conditions: mapping.conditions,
      hierarchy: mapping.hierarchy,
      customMappings: mapping.custom_mappings,
    });
    expect(mappingOf(JSON.stringify(mapping))).toEqual(mappingOf(mapping));
  });

  test('of role to groups is stored as mappings', () => {
    expect(mappingOf({ admin: ['A', 'B'], member: 'C' })).toMatchObject({
      mappings: [
        { group: 'A', role: 'admin' },
        { group: 'B', role: 'admin' },
        { group: 'C', role: 'member' },
      ],
    });
  });

  test.each<[unknown, RegExp]>([
    ['{', /not valid JSON/],
    [[], /must be an object/],
    [{ guest: ['A'] }, /guest is neither a role/],
    [{ mappings: {} }, /mappings must be a list/],
    [{ mappings: ['A'] }, /mappings must be a list of objects/],
    [{ mappings: [{ group: 'A', role: 'root' }] }, /mappings\[0\]\.role must be a role/],
    [{ mappings: [{ group: '', role: 'admin' }] }, /mappings\[0\]\.group must be text/],
    [{ mappings: [{ group: ['A'], role: 'admin' }] }, /mappings\[0\]\.group/],
    [{ mappings: [{ group: '*', role: 'admin' }] }, /mappings\[0\]\.group must not be \*.*default_role/],
    [{ admin: ['A', '*'] }, /admin must not be \*.*default_role/],
    [
      { conditions: [{ attribute: 'a', value: 'b', groups: ['*'], role: 'admin' }] },
      /conditions\[0\]\.groups must not be \*/,
    ],
    [{ mappings: [{ group: 'A', role: 'admin', rank: 1 }] }, /unknown fields: rank/],
    [
      { conditions: [{ attribute: 'a', value: 'b', groups: [{}], role: 'admin' }] },
      /conditions\[0\]\.groups/,
    ],
    [{ conditions: [{ value: 'b', groups: [], role: 'admin' }] }, /conditions\[0\]\.attribute/],
    [{ conditions: [{ attribute: 'a', value: 'b', groups: [], role: 'boss' }] }, /conditions\[0\]\.role/],
    [{ hierarchy: [] }, /hierarchy must be an object/],
    [{ hierarchy: { boss: ['admin'] } }, /hierarchy\.boss must be a role/],
    [{ hierarchy: { admin: ['boss'] } }, /hierarchy\.admin must be a role/],
    [{ hierarchy: { admin: ['admin'] } }, /circle/],
    [{ hierarchy: { admin: ['super_admin'] } }, /higher role/],
    [{ hierarchy: { member: ['admin'], admin: ['member'] } }, /higher role/],
    [{ custom_mappings: { x: 'role' } }, /custom_mappings\.x must lead to/],
    [{ custom_mappings: { x: 'email' } }, /custom_mappings\.x/],
    [{ custom_mappings: { x: 'profile' } }, /custom_mappings\.x/],
    [{ custom_mappings: { x: 'profile.__proto__' } }, /custom_mappings\.x/],
    [{ custom_mappings: { x: 7 } }, /custom_mappings\.x/],
  ])('refuses %j', (mapping, message) => {
    expect(wrongWith(mapping)).toContainEqual(expect.stringMatching(message));
  });

  test('accepts a hierarchy only when every role includes lower ones', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...ROLES), fc.uniqueArray(fc.constantFrom(...ROLES))),
        (hierarchy) => {
          const isDownhill = Object.entries(hierarchy).every(([role, included]) =>
            included.every((each) => ROLES.indexOf(each) < (ROLES as readonly string[]).indexOf(role)),
          );
          expect(wrongWith({ hierarchy }).length === 0).toBe(isDownhill);
        },
      ),
    );
  });
});

describe('certificates and keys', () => {
  const bare = fixture('strong.crt').replaceAll(/-----[^-]+-----|\s/g, '');

  test('one or several, PEM or bare base64, come out as PEM', () => {
    const both = parseProvider(saml({ certificate: fixture('strong.crt') + fixture('other.crt') })).provider;
    expect(both).toMatchObject({ certificates: [fixture('strong.crt'), fixture('other.crt')] });
    expect(parseProvider(saml({ certificate: bare })).provider).toMatchObject({
      certificates: [fixture('strong.crt')],
    });
    expect(parseProvider(saml({ certificate: [bare, fixture('other.crt')] })).provider).toEqual(both);
  });

  test.each(['\\n', '\\r\\n'])('come in one line too, with %s for each line break', (written) => {
    const inOneLine = (name: string) => fixture(name).replaceAll('\n', written);

    const { provider } = parseProvider(
      saml({
        certificate: inOneLine('strong.crt') + inOneLine('other.crt'),
        private_key: inOneLine('strong.key'),
        sp_certificate: inOneLine('strong.crt'),
      }),
    );

    expect(provider).toMatchObject({
      certificates: [fixture('strong.crt'), fixture('other.crt')],
      privateKey: fixture('strong.key').trim(),
      certificate: fixture('strong.crt'),
    });
  });

  test.each<[string, unknown, RegExp]>([
    ['weak', fixture('weak.crt'), /at least 2048 bits/],
    ['not RSA', fixture('elliptic.crt'), /RSA/],
    ['a key', fixture('strong.key'), /is a key/],
    ['a key beside it', fixture('strong.crt') + fixture('strong.key'), /is a key/],
    [
      'a key without its first line',
      fixture('strong.key').replaceAll(/-----[^-]+-----/g, ''),
      /cannot be read/,
    ],
    ['text', 'not a certificate at all', /must be an X\.509 certificate/],
    ['something else between', `${fixture('strong.crt')}and more`, /must be an X\.509/],
    ['damaged', fixture('strong.crt').replace(/[A-Z]{3}/, 'AAA'), /certificate/],
    ['a number', 7, /must be an X\.509/],
  ])('%s is refused without being repeated', (_, certificate, message) => {
    const problems = problemsOf(saml({ certificate }));

    expect(problems).toEqual([expect.stringMatching(/^certificate: /)]);
    expect(problems[0]).toMatch(message);
    expect(problems[0]).not.toMatch(/[A-Za-z0-9+/]{30}/);
  });

  test('what has expired, or is not valid yet, cannot be saved', () => {
    const expired = requireProvider(saml({ certificate: fixture('expired.crt') }));
    const valid = requireProvider(SAML);

    expect(() => requireValidCertificates(expired, new Date())).toThrow('expired on 2021-01-01');
    expect(() => requireValidCertificates(expired, new Date('2019-01-01'))).toThrow(
      'not valid before 2020-01-01',
    );
    expect(() => requireValidCertificates(valid, new Date())).not.toThrow();
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      'belongs to the certificate',
      { private_key: fixture('strong.key'), sp_certificate: fixture('strong.crt') },
      [],
    ],
    [
      'belongs to another',
      { private_key: fixture('other.key'), sp_certificate: fixture('strong.crt') },
      ['private_key'],
    ],
    ['comes alone', { private_key: fixture('strong.key') }, ['sp_certificate']],
    ['is missing beside its certificate', { sp_certificate: fixture('strong.crt') }, ['sp_certificate']],
    ['is missing though requests are signed', { sign_requests: true }, ['private_key']],
    ['is none', { private_key: 'x', sp_certificate: fixture('strong.crt') }, ['private_key']],
    ['to decrypt is missing though required', { require_encrypted_assertions: 'true' }, ['decryption_key']],
    [
      'to decrypt belongs to another',
      { decryption_key: fixture('other.key'), decryption_certificate: fixture('strong.crt') },
      ['decryption_key'],
    ],
  ])('a key that %s', (_, fields, wrong) => {
    expect(fieldsWrong(saml(fields))).toEqual(wrong);
    expect(problemsOf(saml(fields)).join()).not.toContain('PRIVATE KEY');
  });
});

const text = fc
  .string({ minLength: 1, maxLength: 40 })
  .filter((value) => value.trim() === value && !/\p{Cc}/u.test(value));
const word = fc
  .stringMatching(/^[a-z][a-z0-9_-]{0,20}$/)
  .filter((name) => !['saml', 'logout', 'failure'].includes(name));

describe('what a provider is made of', () => {
  test('makes the same provider again', () => {
    const group = text.filter((name) => name !== '*');
    const provider = fc.record(
      {
        name: word,
        id: word,
        label: text,
        enabled: fc.boolean(),
        client_id: text,
        client_secret: text,
        issuer: fc.webUrl(),
        scopes: fc.constantFrom('openid', 'openid groups', ['openid', 'x']),
        trust_email: fc.boolean(),
        group_attribute: text,
        default_role: fc.constantFrom(...ROLES),
        role_mapping: fc.record(
          {
            mappings: fc.array(fc.record({ group, role: fc.constantFrom(...ROLES) })),
            custom_mappings: fc.dictionary(text, fc.constantFrom('locale', 'profile.a_b')),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['name', 'client_id', 'issuer'] },
    );
    fc.assert(
      fc.property(provider, (fields) => {
        const first = requireProvider({ strategy: 'openid_connect', ...fields });
        const again = requireProvider(JSON.parse(JSON.stringify(fieldsOf(first))));

        expect(again).toEqual(first);
        expect(changedFields(fieldsOf(first), fieldsOf(again))).toEqual([]);
      }),
    );
    for (const fields of [OAUTH2, SAML]) {
      const first = requireProvider(fields);
      expect(requireProvider(fieldsOf(first))).toEqual(first);
    }
  });
});
