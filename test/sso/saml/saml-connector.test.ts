import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Identity } from '#src/sso/connector.ts';
import { createSamlConnector } from '#src/sso/connectors/saml.ts';
import { identityFromClaims } from '#src/sso/login/identity-from-claims.ts';
import { createProviderAccess } from '#src/sso/provider-access.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { reasonOf } from '#test/sso/support/providers.ts';
import { ATTRIBUTE_STYLES, type SentAttributes } from '#test/sso/support/saml-attributes.ts';
import { type AnswerOptions, createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import { type SamlKey, samlKey } from '#test/sso/support/saml-keys.ts';
import { ACS_URL, refusalOf, STATE, samlProvider, signInBySaml } from '#test/sso/support/saml-login.ts';

const access = createProviderAccess({ now: () => new Date() });
let idp: SamlIdp;
let ours: SamlKey;

beforeAll(async () => {
  idp = await createSamlIdp();
  ours = await samlKey('this service');
});
afterAll(() => access.close());

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const LOGIN = { state: STATE, redirectUri: ACS_URL };

const start = (provider: Partial<SamlProvider> = {}) =>
  createSamlConnector(samlProvider(idp, provider), access).startLogin(LOGIN);

const signIn = (answer: Partial<AnswerOptions> = {}, provider: Partial<SamlProvider> = {}) =>
  signInBySaml({ idp, access, provider, answer });

describe('the way to the provider', () => {
  test('by redirect: asks for an email address as NameID, back to this provider alone', async () => {
    const { redirectTo, form, secrets } = await start();

    expect(form).toBeUndefined();
    expect(redirectTo.href.split('?')[0]).toBe(idp.ssoUrl);
    expect([...redirectTo.searchParams.keys()]).toEqual(['SAMLRequest', 'RelayState']);
    expect(idp.readRequest(redirectTo)).toMatchObject({
      id: secrets.requestId,
      issuer: ACS_URL.replace('/callback', ''),
      acsUrl: ACS_URL,
      destination: idp.ssoUrl,
      nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      relayState: STATE,
      signed: false,
    });
  });

  test('by form: the same, uncompressed', async () => {
    const { redirectTo, form = {}, secrets } = await start({ ssoBinding: 'post' });

    expect(redirectTo.href).toBe(idp.ssoUrl);
    expect(Object.keys(form)).toEqual(['SAMLRequest', 'RelayState']);
    expect(idp.readRequest(form)).toMatchObject({
      id: secrets.requestId,
      acsUrl: ACS_URL,
      relayState: STATE,
    });
  });

  test.each(['redirect', 'post'] as const)('signed with RSA-SHA256 by %s', async (ssoBinding) => {
    const keys = { privateKey: ours.privateKey, certificate: ours.certificate };
    const { redirectTo, form } = await start({ ...keys, ssoBinding, signRequests: true });

    expect(idp.readRequest(form ?? redirectTo, ours.certificate)).toMatchObject({
      signed: true,
      algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    });
    expect(idp.readRequest(form ?? redirectTo, idp.certificate).signed).toBe(false);
  });

  test('is not signed unless that is turned on', async () => {
    const { redirectTo } = await start({ privateKey: ours.privateKey, certificate: ours.certificate });

    expect(redirectTo.searchParams.has('Signature')).toBe(false);
  });

  test('demands an answer by form, for new people too, and no way of signing in there', async () => {
    const { redirectTo } = await start();

    const request = Buffer.from(redirectTo.searchParams.get('SAMLRequest') ?? '', 'base64');
    const xml = inflateRawSync(request).toString();
    expect(xml).toContain('ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"');
    expect(xml).toContain('AllowCreate="true"');
    expect(xml).not.toContain('RequestedAuthnContext');
  });

  test('keeps what the address of the provider has in its query', async () => {
    const { redirectTo } = await start({ ssoUrl: `${idp.ssoUrl}?tenant=1` });

    expect(redirectTo.searchParams.get('tenant')).toBe('1');
  });

  test('has another id each time, which begins with no digit', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await start()).secrets.requestId));

    expect(new Set(ids).size).toBe(20);
    expect(ids.every((id) => /^[a-z_][\w-]{30,}$/i.test(id ?? ''))).toBe(true);
  });

  test('is not gone without the key that shall sign', async () => {
    expect(await reasonOf(start({ signRequests: true }))).toBe('provider_misconfigured');
  });

  test('is not gone while it is not known where it leads', async () => {
    expect(await reasonOf(start({ ssoUrl: undefined }))).toBe('provider_misconfigured');
  });
});

describe('who signed in', () => {
  test('comes from the NameID, with what signing out needs', async () => {
    const identity = await signIn();

    expect(identity).toMatchObject({
      subject: 'ada@example.com',
      issuer: idp.entityId,
      email: 'ada@example.com',
      emailVerified: null,
      firstName: 'Ada',
      lastName: 'Lovelace',
      groups: null,
      tokens: {
        sid: '_session-1',
        nameId: { format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' },
      },
    });
    const { id, expiresAt } = identity.assertion ?? { id: '', expiresAt: '' };
    expect(id).toMatch(/^_/);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 360_000)).toBeLessThan(10_000);
  });

  test('is the same from an encrypted assertion of samlify', async () => {
    const identity = await signIn(
      { encryptTo: ours.certificate },
      { decryptionKey: ours.privateKey, requireEncryptedAssertions: true },
    );

    expect(identity.subject).toBe('ada@example.com');
  });

  test.each(Object.entries(ATTRIBUTE_STYLES))(
    'is read from attributes named the %s way',
    async (_, write) => {
      const person = {
        email: 'ada@corp.example',
        firstName: 'Ada',
        lastName: 'King',
        groups: ['staff', 'ops'],
      };

      const identity = await signIn({ nameId: 'ada-1', attributes: write(person) });

      expect(identity).toMatchObject({ subject: 'ada-1', ...person });
    },
  );

  test.each<[string, SentAttributes, unknown]>([
    ['one group is a text', { groups: 'staff' }, ['staff']],
    ['no group at all is no attribute', {}, null],
    ['an attribute without values is no group', { groups: [] }, []],
    [
      'an attribute sent twice has the values of both',
      [
        { name: 'Role', values: ['staff'] },
        { name: 'Role', values: ['ops', 'staff'] },
      ],
      ['staff', 'ops'],
    ],
    ['a friendly name names nothing', [{ name: 'x', friendlyName: 'groups', values: ['staff'] }], null],
  ])('groups: %s', async (_, attributes, groups) => {
    expect((await signIn({ attributes })).groups).toEqual(groups);
  });

  test('has the groups of the configured attribute first', async () => {
    const attributes = { groups: 'usual', 'https://corp.example/teams': ['one', 'two'] };

    const identity = await signIn({ attributes }, { groupAttribute: 'https://corp.example/teams' });

    expect(identity.groups).toEqual(['one', 'two']);
  });

  test('has email and names of the configured attributes before the usual ones', async () => {
    const attributes = {
      email: 'usual@example.com',
      firstName: 'Usual',
      lastName: 'King',
      'urn:corp:mail': 'ada@corp.example',
      'urn:corp:given': 'Ada',
    };
    const configured = { email: 'urn:corp:mail', firstName: 'urn:corp:given', lastName: 'urn:corp:none' };

    const identity = await signIn({ attributes }, { attributes: configured });

    const expected = { email: 'ada@corp.example', firstName: 'Ada', lastName: 'King' };
    expect(identity).toMatchObject(expected);
    expect(identityFromClaims(samlProvider(idp, { attributes: configured }), attributes)).toMatchObject(
      expected,
    );
  });

  test.each<[string, Partial<AnswerOptions>, string | null, boolean | null]>([
    ['of the NameID when its format says so', { attributes: {} }, 'ada@example.com', null],
    ['nothing, when the format is another', { attributes: {}, nameIdFormat: PERSISTENT }, null, null],
    ['of the attribute before the NameID', { attributes: { mail: 'a@b.example' } }, 'a@b.example', null],
    ['verified', { attributes: { email: 'a@b.example', email_verified: 'true' } }, 'a@b.example', true],
    ['not verified', { attributes: { email: 'a@b.example', email_verified: 'false' } }, 'a@b.example', false],
    [
      'not verified by halves',
      { attributes: { email_verified: ['true', 'false'] } },
      'ada@example.com',
      false,
    ],
    [
      'the same, written twice',
      { attributes: { email: ['a@b.example', 'A@B.example'] } },
      'a@b.example',
      null,
    ],
  ])('email: %s', async (_, answer, email, emailVerified) => {
    expect(await signIn(answer)).toMatchObject({ email, emailVerified });
  });

  test('is nobody when one attribute holds two emails', async () => {
    const attributes = [
      { name: 'email', values: ['ada@example.com'] },
      { name: 'Email', values: ['eve@example.com'] },
    ];

    expect(await refusalOf(signIn({ attributes }))).toBe('attributes_conflict: email');
  });

  test.each([
    'ada@example.com<!-- -->.test',
    'ada@example.com<![CDATA[.test]]>',
    '\n  ada@example.com.test\n',
  ])('is named whole: %j', async (nameIdXml) => {
    expect((await signIn({ misbehave: { nameIdXml } })).subject).toBe('ada@example.com.test');
  });

  test('is another with a blank that XML does not know', async () => {
    const { subject } = await signIn({ misbehave: { nameIdXml: 'ada@example.com\u00a0' } });

    expect(subject).toBe('ada@example.com\u00a0');
  });

  test('has attributes whose names are those of no object', async () => {
    const { attributes } = await signIn({ attributes: { __proto__x: 'a', constructor: 'b', toString: 'c' } });

    expect(attributes).toEqual({ __proto__x: 'a', constructor: 'b', toString: 'c' });
  });

  test('is read within two seconds with 1,500 groups', { retry: 2 }, async () => {
    const groups = Array.from(
      { length: 1_500 },
      (_, index) => `cn=group-${index},ou=groups,dc=corp,dc=example`,
    );
    const began = performance.now();

    const identity = await signIn({ attributes: { groups } });

    expect(identity.groups).toHaveLength(1_500);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test('would be the same as told by hand', async () => {
    const attributes = { mail: 'ada@example.com', givenName: 'Ada', sn: 'King', memberOf: ['staff', 'ops'] };
    const { assertion: _, tokens: __, ...read } = await signIn({ attributes });

    expect(identityFromClaims(samlProvider(idp), attributes)).toEqual(read);
  });
});

describe('an answer that nobody asked for', () => {
  test('is refused', async () => {
    expect(await reasonOf(answerUnasked({}))).toBe('response_unsolicited');
  });

  test('is accepted where that is allowed', async () => {
    expect((await answerUnasked({ allowIdpInitiated: true })).subject).toBe('ada@example.com');
  });

  test('is refused even there when it answers something', async () => {
    const asked = { requestId: '_of-somebody-else' };
    const bare = { ...asked, misbehave: { responseInResponseTo: null } };

    expect(await reasonOf(answerUnasked({ allowIdpInitiated: true }, asked))).toBe('response_mismatch');
    expect(await reasonOf(answerUnasked({ allowIdpInitiated: true }, bare))).toBe('response_mismatch');
  });
});

test('a callback without an answer is refused', async () => {
  const connector = createSamlConnector(samlProvider(idp), access);
  const secrets = { requestId: '_1' };

  expect(await reasonOf(connector.handleCallback({ url: new URL(ACS_URL) }, { ...LOGIN, secrets }))).toBe(
    'callback_invalid',
  );
});

async function answerUnasked(
  provider: Partial<SamlProvider>,
  options: Partial<AnswerOptions> = {},
): Promise<Identity> {
  const connector = createSamlConnector(samlProvider(idp, provider), access);
  const { SAMLResponse } = await idp.answer({ acsUrl: ACS_URL, ...options });
  return await connector.handleCallback(
    { url: new URL(ACS_URL), form: { SAMLResponse } },
    { state: '', redirectUri: ACS_URL, secrets: {} },
  );
}
