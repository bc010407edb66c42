import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import { type IdpMetadata, parseIdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { readMetadataFacts } from '#src/sso/saml/metadata/read-metadata-facts.ts';
import { samlFieldsFrom } from '#src/sso/saml/metadata/saml-fields-from.ts';
import { nameIdFormatOf } from '#src/sso/saml/name-id-format.ts';
import { fixture } from '#test/sso/given-provider.ts';
import { bareBase64 } from '#test/sso/support/saml-keys.ts';
import { key, type MetadataParts, metadataXml, service } from '#test/sso/support/saml-metadata.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/saml');
const NOW = new Date('2026-11-21T12:00:00Z');

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

describe('the metadata of', () => {
  test.each<[string, Partial<IdpMetadata>, { certificates: number; format?: string; notes?: RegExp[] }]>([
    [
      'keycloak',
      {
        entityId: 'https://keycloak.example.com/realms/finance',
        ssoUrl: 'https://keycloak.example.com/realms/finance/protocol/saml',
        logoutUrl: 'https://keycloak.example.com/realms/finance/protocol/saml',
        wantsSignedRequests: true,
      },
      { certificates: 1 },
    ],
    [
      'okta',
      {
        entityId: 'http://www.okta.com/exk1fixture2finance3',
        ssoUrl: 'https://example.okta.com/app/example_finance_1/exk1fixture2finance3/sso/saml',
        logoutUrl: undefined,
      },
      { certificates: 1 },
    ],
    [
      'entra',
      {
        entityId: 'https://sts.windows.net/5f0c3b6a-1d2e-4f7a-8b9c-0d1e2f3a4b5c/',
        ssoUrl: 'https://login.microsoftonline.com/5f0c3b6a-1d2e-4f7a-8b9c-0d1e2f3a4b5c/saml2',
        logoutUrl: 'https://login.microsoftonline.com/5f0c3b6a-1d2e-4f7a-8b9c-0d1e2f3a4b5c/saml2',
      },
      { certificates: 2, notes: [/expired on 2024-01-01/] },
    ],
    [
      'adfs',
      {
        entityId: 'http://adfs.example.com/adfs/services/trust',
        ssoUrl: 'https://adfs.example.com/adfs/ls/',
        logoutUrl: 'https://adfs.example.com/adfs/ls/',
      },
      { certificates: 1 },
    ],
    [
      'google',
      {
        entityId: 'https://accounts.google.com/o/saml2?idpid=C01fixture',
        ssoUrl: 'https://accounts.google.com/o/saml2/idp?idpid=C01fixture',
        logoutUrl: undefined,
        validUntil: new Date('2055-12-31T23:59:59Z'),
      },
      { certificates: 1 },
    ],
    [
      'shibboleth',
      {
        entityId: 'https://idp.example.edu/idp/shibboleth',
        ssoUrl: 'https://idp.example.edu/idp/profile/SAML2/Redirect/SSO',
        logoutUrl: 'https://idp.example.edu/idp/profile/SAML2/Redirect/SLO',
      },
      { certificates: 2, format: PERSISTENT },
    ],
    [
      'simplesamlphp',
      {
        entityId: 'https://idp.example.org/simplesaml/saml2/idp/metadata.php',
        ssoUrl: 'https://idp.example.org/simplesaml/saml2/idp/SSOService.php',
        logoutUrl: 'https://idp.example.org/simplesaml/saml2/idp/SingleLogoutService.php',
      },
      { certificates: 1 },
    ],
  ])('%s makes a working provider', (name, expected, { certificates, format, notes = [] }) => {
    const metadata = parseIdpMetadata(readFileSync(join(FOLDER, `${name}.xml`), 'utf8'), { now: NOW });
    const { provider, problems } = parseProvider({ strategy: 'saml', name, ...samlFieldsFrom(metadata) });

    expect(problems).toBeUndefined();
    expect(metadata).toMatchObject({ ssoBinding: 'redirect', wantsSignedRequests: false, ...expected });
    expect(metadata.certificates).toHaveLength(certificates);
    expect(metadata.notes).toEqual(notes.map((note) => expect.stringMatching(note)));
    expect(provider).toMatchObject({
      entityId: expected.entityId,
      ssoUrl: expected.ssoUrl,
      logoutUrl: expected.logoutUrl,
      certificates: metadata.certificates,
    });
    expect(provider?.strategy === 'saml' && nameIdFormatOf(provider)).toBe(
      format ?? 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    );
  });
});

const parse = (parts: MetadataParts = {}, options: Parameters<typeof parseIdpMetadata>[1] = {}) =>
  parseIdpMetadata(metadataXml(parts), options);

/** Reason and detail of the refusal. */
function refusalOf(xml: string, options: Parameters<typeof parseIdpMetadata>[1] = {}): string {
  try {
    parseIdpMetadata(xml, options);
  } catch (error) {
    if (error instanceof LoginRefused) return `${error.reason}: ${error.detail ?? ''}`;
    throw error;
  }
  return 'accepted';
}

describe('metadata', () => {
  test('may begin with a byte order mark and use any prefix', () => {
    const xml = `\uFEFF${metadataXml().replaceAll('md:', 'any:').replace('xmlns:md', 'xmlns:any')}`;

    expect(parseIdpMetadata(xml)).toMatchObject({ entityId: 'https://idp.example.com/metadata' });
  });

  test('that offers POST alone is used by POST; SOAP and what is no web address are left out', () => {
    const metadata = parse({
      sso: [service('SingleSignOnService', 'HTTP-POST', 'https://idp.example.com/post')],
      logout: [
        service('SingleLogoutService', 'SOAP', 'https://idp.example.com/soap'),
        service('SingleLogoutService', 'HTTP-Redirect', 'javascript:alert(1)'),
        service('SingleLogoutService', 'HTTP-POST', 'https://user:secret@idp.example.com/slo'),
      ],
    });

    expect(metadata).toMatchObject({ ssoUrl: 'https://idp.example.com/post', ssoBinding: 'post' });
    expect(metadata.logoutUrl).toBeUndefined();
    expect(metadata.notes).toHaveLength(3);
    expect(metadata.notes.join()).not.toContain('secret');
  });

  test('may name another address for answers to sign-outs', () => {
    const logout = service('SingleLogoutService', 'HTTP-Redirect', 'https://idp.example.com/slo').replace(
      '/>',
      ' ResponseLocation="https://idp.example.com/slo/done"/>',
    );

    expect(parse({ logout: [logout] })).toMatchObject({
      logoutUrl: 'https://idp.example.com/slo',
      logoutResponseUrl: 'https://idp.example.com/slo/done',
    });
  });

  test('gives the certificates that may sign, each once; weak, other and damaged ones are left out', () => {
    const metadata = parse({
      keys: [
        key('strong.crt', 'signing'),
        key('other.crt', undefined),
        key('strong.crt', 'signing'),
        key('expired.crt', 'encryption'),
        key('weak.crt', 'signing'),
        key('elliptic.crt', 'signing'),
        key('strong.crt', 'signing').replace(bareBase64(fixture('strong.crt')), 'AAAA'),
        '<md:KeyDescriptor><ds:KeyInfo><ds:KeyName>only a name</ds:KeyName></ds:KeyInfo></md:KeyDescriptor>',
      ],
    });

    expect(metadata.certificates).toEqual([fixture('strong.crt'), fixture('other.crt')]);
    expect(metadata.notes).toHaveLength(4);
  });

  test('that brings authorities along does not trust them to sign', async () => {
    const ca = { key: fixture('strong.key'), cert: fixture('strong.crt') };
    const { cert } = await generate([{ name: 'commonName', value: 'signer' }], { keySize: 2048, ca });
    const alone = key('strong.crt', 'signing');
    const authority = bareBase64(fixture('strong.crt'));
    const chain = alone.replace(
      authority,
      `${bareBase64(cert)}</ds:X509Certificate><ds:X509Certificate>${authority}`,
    );
    const pair = alone.replace(
      authority,
      `${bareBase64(fixture('other.crt'))}</ds:X509Certificate><ds:X509Certificate>${authority}`,
    );

    expect(parse({ keys: [chain] }).certificates.map(bareBase64)).toEqual([bareBase64(cert)]);
    expect(parse({ keys: [pair] }).certificates).toEqual([fixture('other.crt'), fixture('strong.crt')]);
  });

  test('whose certificates have all expired keeps them, so that one sees why nothing works', () => {
    const metadata = parse({ keys: [key('expired.crt', 'signing')] }, { now: NOW });

    expect(metadata.certificates).toEqual([fixture('expired.crt')]);
  });

  test('of many holds the one that is asked for, and its end of validity is the earliest around it', () => {
    const entity = metadataXml({ attributes: 'validUntil="2027-06-01T00:00:00Z" cacheDuration="PT2H"' });
    const other = metadataXml({ entityId: 'https://other.example.com' });
    const many = federation(
      `${other}${federation(entity, 'validUntil="2027-01-01T00:00:00" cacheDuration="P1D"')}`,
    );

    expect(parseIdpMetadata(many, { entityId: 'https://idp.example.com/metadata' })).toMatchObject({
      entityId: 'https://idp.example.com/metadata',
      validUntil: new Date('2027-01-01T00:00:00Z'),
      cacheDuration: 2 * 3_600_000,
    });
    expect(refusalOf(many)).toMatch(/^metadata_invalid: 2 identity providers/);
    expect(refusalOf(many, { entityId: 'urn:nobody' })).toMatch(/^metadata_entity_mismatch/);
  });

  test('that was stored is read back as it was', () => {
    const metadata = parse({ attributes: 'validUntil="2027-06-01T00:00:00Z"' });

    expect(readMetadataFacts(JSON.parse(JSON.stringify(metadata)))).toEqual(metadata);
    expect(readMetadataFacts({ entityId: 'x' })).toBeUndefined();
  });

  const ROOT = metadataXml();

  test('may name its style sheet', () => {
    const styled = `<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?>${ROOT}`;

    expect(parseIdpMetadata(styled)).toEqual(parseIdpMetadata(ROOT));
  });

  test.each<[string, string, RegExp]>([
    ['is no XML', 'Not found', /^metadata_invalid: /],
    ['is a web page', '<!DOCTYPE html><html></html>', /^metadata_invalid: DOCTYPE/],
    ['is not well-formed', ROOT.replace('</md:IDPSSODescriptor>', ''), /^metadata_invalid: not well-formed/],
    ['has two roots', `${ROOT}<a/>`, /^metadata_invalid: not well-formed/],
    [
      'says a thing twice',
      ROOT.replace('entityID=', 'entityID="a" entityID='),
      /^metadata_invalid: not well/,
    ],
    [
      'has an entity',
      ROOT.replace('<md:', '<!DOCTYPE x [<!ENTITY a "b">]><md:'),
      /^metadata_invalid: DOCTYPE/,
    ],
    ['is too large', ROOT.replace('<md:IDP', `${' '.repeat(1024 * 1024)}<md:IDP`), /too large: bytes/],
    ['has too many elements', `<a>${'<b/>'.repeat(20_000)}</a>`, /too large: elements/],
    ['is nested too deeply', '<a>'.repeat(80) + '</a>'.repeat(80), /too large: depth/],
    ['is something else', '<a/>', /no EntityDescriptor/],
    ['is of another namespace', ROOT.replaceAll('SAML:2.0:metadata', 'SAML:9'), /no EntityDescriptor/],
    ['is ours, not theirs', ROOT.replaceAll('IDPSSO', 'SPSSO'), /no SAML 2\.0 identity provider/],
    [
      'speaks SAML 1.1 alone',
      ROOT.replace('SAML:2.0:protocol', 'SAML:1.1:protocol'),
      /no SAML 2\.0 identity/,
    ],
    ['has no entity id', ROOT.replace(/entityID="[^"]*"/, ''), /without a usable entity id/],
    ['has no address', metadataXml({ sso: [] }), /no address to sign in at/],
    [
      'has an address for programs',
      metadataXml({ sso: [service('SingleSignOnService', 'SOAP')] }),
      /no address/,
    ],
    ['has no certificate', metadataXml({ keys: [] }), /no RSA certificate/],
    ['has a weak one', metadataXml({ keys: [key('weak.crt', 'signing')] }), /no RSA certificate/],
    ['can only encrypt', metadataXml({ keys: [key('strong.crt', 'encryption')] }), /no RSA certificate/],
    ['has expired', metadataXml({ attributes: 'validUntil="2026-11-21T11:59:59Z"' }), /^metadata_expired/],
    ['ends at no time', metadataXml({ attributes: 'validUntil="soon"' }), /end of validity/],
  ])('that %s is refused', (_, xml, refusal) => {
    expect(refusalOf(xml, { now: NOW })).toMatch(refusal);
  });
});

function federation(inside: string, attributes = ''): string {
  return `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ${attributes}>${inside}</md:EntitiesDescriptor>`;
}
