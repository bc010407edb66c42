import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateXML, type XMLFileInfo } from 'xmllint-wasm';

import { requireProvider } from '#src/sso/providers/provider-problems.ts';
import { buildSpMetadata } from '#src/sso/saml/metadata/build-sp-metadata.ts';
import { fixture, SAML } from '#test/sso/given-provider.ts';
import { bareBase64 } from '#test/sso/support/saml-keys.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/saml/schema');

/** The address that a schema names for another → the file at hand. */
const AT_HAND: Readonly<Record<string, string>> = {
  'http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd': 'xmldsig-core-schema.xsd',
  'http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd': 'xenc-schema.xsd',
  'http://www.w3.org/2001/xml.xsd': 'xml.xsd',
};

function schema(fileName: string): XMLFileInfo {
  const text = readFileSync(join(FOLDER, fileName), 'utf8');
  const contents = Object.entries(AT_HAND).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  return { fileName, contents };
}

async function problemsOf(xml: string): Promise<string[]> {
  const { errors } = await validateXML({
    xml: { fileName: 'metadata.xml', contents: xml },
    schema: schema('saml-schema-metadata-2.0.xsd'),
    preload: ['saml-schema-assertion-2.0.xsd', ...Object.values(AT_HAND)].map(schema),
  });
  return errors.map(({ message }) => message);
}

const APP_URL = 'https://finance.example.com';
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const SIGNING = { private_key: fixture('strong.key'), sp_certificate: fixture('strong.crt') };
const DECRYPTION = { decryption_key: fixture('other.key'), decryption_certificate: fixture('other.crt') };

function build(fields: Record<string, unknown> = {}, nameIdFormat = EMAIL): string {
  const provider = requireProvider({ ...SAML, ...fields });
  if (provider.strategy !== 'saml') throw new Error('not SAML');
  return buildSpMetadata(provider, { appUrl: APP_URL, nameIdFormat });
}

describe('our metadata', () => {
  test.each<[string, Record<string, unknown>, string?]>([
    ['without keys', {}],
    ['with signed requests', { ...SIGNING, sign_requests: true }],
    ['with encrypted assertions', DECRYPTION],
    ['with both', { ...SIGNING, ...DECRYPTION, sign_requests: true }],
    ['with a NameID format that looks like XML', {}, 'urn:a?b&c<d>"e"'],
  ])('%s is valid against the schema', async (_, fields, nameIdFormat) => {
    expect(await problemsOf(build(fields, nameIdFormat))).toEqual([]);
  });

  test('is held against the schema in earnest', async () => {
    const swapped = build().replace(
      /(\s*<md:NameIDFormat>.*<\/md:NameIDFormat>)([\s\S]*?)(<\/md:SPSSO)/,
      '$2$1$3',
    );

    expect(await problemsOf(swapped)).not.toEqual([]);
  });

  test('names the addresses that belong to the provider, sign-outs by both bindings', () => {
    const xml = build({ id: 'corp' });

    expect(xml).toContain('entityID="https://finance.example.com/auth/saml/corp"');
    expect(xml).toMatch(
      /AssertionConsumerService Binding="[^"]*HTTP-POST" Location="https:\/\/finance.example.com\/auth\/saml\/corp\/callback"/,
    );
    expect(
      [...xml.matchAll(/SingleLogoutService Binding="[^"]*:([^":]*)" Location="([^"]*)"/g)].map(
        ([, binding, location]) => [binding, location],
      ),
    ).toEqual([
      ['HTTP-Redirect', 'https://finance.example.com/auth/saml/corp/logout'],
      ['HTTP-POST', 'https://finance.example.com/auth/saml/corp/logout'],
    ]);
    expect(xml).toContain('<md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress<');
  });

  test('says whether requests are signed, and shows certificates but never a key', () => {
    const xml = build({ ...SIGNING, ...DECRYPTION, sign_requests: true });

    expect(build()).toContain('AuthnRequestsSigned="false"');
    expect(build()).not.toContain('KeyDescriptor');
    expect(xml).toContain('AuthnRequestsSigned="true"');
    expect([...xml.matchAll(/KeyDescriptor use="(\w+)"/g)].map(([, use]) => use)).toEqual([
      'signing',
      'encryption',
    ]);
    expect(xml).toContain(bareBase64(fixture('strong.crt')));
    expect(xml).toContain(bareBase64(fixture('other.crt')));
    for (const name of ['strong.key', 'other.key']) {
      expect(xml).not.toContain(bareBase64(fixture(name)).slice(100, 160));
    }
    expect(xml).not.toContain('PRIVATE');
  });
});
