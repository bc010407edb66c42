import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProviderAccess } from '#src/sso/provider-access.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { type AnswerOptions, createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import { samlKey } from '#test/sso/support/saml-keys.ts';
import { ACS_URL, refusalOf, signInBySaml } from '#test/sso/support/saml-login.ts';
import type { Misbehaviour } from '#test/sso/support/saml-misbehaviour.ts';

const access = createProviderAccess({ now: () => new Date() });
let idp: SamlIdp;
let ours: Pick<SamlProvider, 'decryptionKey' | 'decryptionCertificate'> & { decryptionCertificate: string };
let stranger: string;

beforeAll(async () => {
  idp = await createSamlIdp();
  const { privateKey, certificate } = await samlKey('this service');
  ours = { decryptionKey: privateKey, decryptionCertificate: certificate };
  stranger = (await samlKey('somebody else')).certificate;
});
afterAll(() => access.close());

interface Attempt {
  provider?: Partial<SamlProvider>;
  answer?: Partial<AnswerOptions>;
  carry?: (message: string) => string;
}

const attempt = (misbehave: Misbehaviour, { provider, answer, carry }: Attempt = {}) =>
  refusalOf(
    signInBySaml({
      idp,
      access,
      provider: { ...ours, ...provider },
      answer: { encryptTo: ours.decryptionCertificate, ...answer, misbehave },
      carry,
    }),
  );

const OTHER = 'https://other.example.com';

describe('an answer is accepted', () => {
  test.each<[string, Misbehaviour]>([
    ['with the assertion signed', { sign: 'assertion' }],
    ['with the response signed', { sign: 'response' }],
    ['with both signed', { sign: 'both' }],
    ['signed with SHA-512', { signatureAlgorithm: 'sha512', digestAlgorithm: 'sha512' }],
    ['encrypted with AES-256-GCM and OAEP', { encrypt: 'gcm-oaep' }],
    ['encrypted with AES-128-GCM and OAEP', { encrypt: 'gcm128-oaep' }],
    ['encrypted inside a signed response', { encrypt: 'gcm-oaep', sign: 'response' }],
    ['encrypted and signed twice', { encrypt: 'gcm-oaep', sign: 'both' }],
    ['with an encrypted NameID', { encryptNameId: true }],
    ['with an encrypted NameID inside a signed response', { encryptNameId: true, sign: 'response' }],
    ['that names no destination', { destination: null }],
    ['with no issuer around the assertion', { responseIssuer: null }],
    ['with no request named around the assertion', { responseInResponseTo: null }],
    [
      'that carries some certificate',
      { carry: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
    ],
    ['from a clock 50 seconds ahead', { issuedAt: 50, notBefore: 50 }],
    ['50 seconds after its end', { notOnOrAfter: -50, confirmationNotOnOrAfter: -50 }],
    ['with Conditions that name no time', { notBefore: null, notOnOrAfter: null }],
    ['with one audience of several', { audience: [OTHER, ACS_URL.replace('/callback', '')] }],
    ['to be used once', { conditionsXml: '<saml:OneTimeUse/>' }],
    ['with comments around it', { afterSigning: (xml) => `<?xml version="1.0"?><!-- a -->${xml}` }],
  ])('%s', async (_, misbehave) => {
    expect(await attempt(misbehave)).toBe('accepted');
  });

  test('with line breaks in its base64', async () => {
    expect(await attempt({}, { carry: breakLines })).toBe('accepted');
  });

  test('signed by the second of two certificates', async () => {
    const certificates = [stranger, idp.certificate];

    expect(await attempt({}, { provider: { certificates } })).toBe('accepted');
  });

  test('signed with SHA-1 where that is allowed', async () => {
    const sha1: Misbehaviour = { signatureAlgorithm: 'sha1', digestAlgorithm: 'sha1' };

    expect(await attempt(sha1, { provider: { allowSha1: true } })).toBe('accepted');
  });
});

describe('an answer is refused', () => {
  test.each<[string, Misbehaviour, string]>([
    ['unsigned', { sign: 'none' }, 'signature_missing'],
    ['signed by another key', { otherKey: true }, 'signature_invalid: value'],
    ['signed by another key, response', { otherKey: true, sign: 'response' }, 'signature_invalid: value'],
    ['with a changed NameID', change('ada@example.com', 'eve@example.com'), 'signature_invalid: value'],
    [
      'with a signed response changed',
      { sign: 'response', ...change('ada@example.com', 'eve@example.com') },
      'signature_invalid: value',
    ],
    [
      'with the envelope changed although only the assertion needs its signature',
      { sign: 'both', ...change('<samlp:Status>', '<samlp:Extensions/><samlp:Status>') },
      'signature_invalid: value',
    ],
    ['signed with SHA-1', { signatureAlgorithm: 'sha1' }, 'algorithm_refused: SHA-1'],
    ['digested with SHA-1', { digestAlgorithm: 'sha1' }, 'algorithm_refused: SHA-1'],
    [
      'signed with SHA-1 inside what is encrypted',
      { signatureAlgorithm: 'sha1', encrypt: 'gcm-oaep' },
      'algorithm_refused: SHA-1',
    ],
    [
      'signed with an HMAC',
      change(
        'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
      ),
      'algorithm_refused: signature',
    ],
    ['encrypted with AES-CBC', { encrypt: 'cbc-oaep' }, 'encryption_refused: cipher'],
    ['encrypted with RSA 1.5', { encrypt: 'gcm-rsa15' }, 'encryption_refused: key transport'],
    ['with a NameID in AES-CBC', { encryptNameId: true, encrypt: 'cbc-oaep' }, 'encryption_refused: cipher'],
    ['encrypted and unsigned', { encrypt: 'gcm-oaep', sign: 'none' }, 'signature_missing'],
    [
      'encrypted and signed by another key',
      { encrypt: 'gcm-oaep', otherKey: true },
      'signature_invalid: value',
    ],
    [
      'encrypting something else',
      { encrypt: 'gcm-oaep', encryptedXml: '<a/>' },
      'assertion_missing: encrypted',
    ],
    [
      'encrypting a DOCTYPE',
      { encrypt: 'gcm-oaep', encryptedXml: '<!DOCTYPE a><a/>' },
      'message_invalid: DOCTYPE',
    ],
    [
      'encrypting a deep nest',
      { encrypt: 'gcm-oaep', encryptedXml: '<a>'.repeat(20_000) },
      'message_too_large: depth',
    ],
    ...([1, 2, 3, 4, 5, 6, 7, 8] as const).map((wrap): [string, Misbehaviour, string] => [
      `signature wrapping ${wrap}`,
      { wrap },
      {
        3: 'message_invalid: several assertions',
        4: 'signature_missing',
        5: 'message_invalid: several assertions',
      }[wrap as number] ?? 'signature_invalid: structure',
    ]),
    ['two assertions, both signed', { twoAssertions: true }, 'message_invalid: several assertions'],
    ['no assertion', { noAssertion: true, sign: 'response' }, 'assertion_missing'],
    ['with a DOCTYPE', { doctype: true }, 'message_invalid: DOCTYPE'],
    ['of SAML 1.1', { version: '1.1' }, 'message_invalid: version'],
    [
      'that is a LogoutResponse',
      { sign: 'response', afterSigning: (xml) => xml.replaceAll('samlp:Response', 'samlp:LogoutResponse') },
      'message_invalid: no response',
    ],
    ['reporting a failure', { status: 'Responder' }, 'provider_error: Responder'],
    [
      'reporting a failure and why',
      { status: 'Requester', subStatus: 'InvalidNameIDPolicy' },
      'provider_error: InvalidNameIDPolicy',
    ],
    [
      'reporting a failure for a reason of its own',
      { status: 'Responder', subStatus: 'ada@example.com is on leave' },
      'provider_error: Responder',
    ],
    ['reporting a status of its own', { status: 'ada@example.com is on leave' }, 'provider_error: status'],
    ['reporting a refusal', { status: 'Responder', subStatus: 'AuthnFailed' }, 'access_denied: AuthnFailed'],
    [
      'reporting NoPassive',
      { status: 'Responder', subStatus: 'NoPassive' },
      'interaction_required: NoPassive',
    ],
    ['with an assertion of SAML 1.1', inside('Version="2.0"', 'Version="1.1"'), 'message_invalid: version'],
    ['of another issuer', { issuer: OTHER }, 'issuer_mismatch'],
    ['around another issuer', { responseIssuer: OTHER }, 'issuer_mismatch'],
    ['with an assertion of another issuer', { assertionIssuer: OTHER }, 'issuer_mismatch'],
    ['with an assertion of no issuer', { assertionIssuer: '' }, 'issuer_mismatch'],
    ['for another destination', { destination: OTHER }, 'destination_mismatch'],
    ['for a destination that begins like ours', { destination: `${ACS_URL}/more` }, 'destination_mismatch'],
    ['for another recipient', { recipient: OTHER }, 'recipient_mismatch'],
    ['for no recipient', { recipient: null }, 'recipient_mismatch'],
    ['to another request', { inResponseTo: '_another' }, 'response_mismatch'],
    ['to another request, inside', { confirmationInResponseTo: '_another' }, 'response_mismatch'],
    ['to another request, outside', { responseInResponseTo: '_another' }, 'response_mismatch'],
    ['to no request', { inResponseTo: null }, 'response_unsolicited'],
    ['to no request, inside', { confirmationInResponseTo: null }, 'response_unsolicited'],
    ['for another audience', { audience: OTHER }, 'audience_mismatch'],
    ['for the callback as audience', { audience: ACS_URL }, 'audience_mismatch'],
    ['for an audience of nobody', { audience: [] }, 'audience_mismatch'],
    [
      'for two audiences at once',
      {
        conditionsXml: `<saml:AudienceRestriction><saml:Audience>${OTHER}</saml:Audience></saml:AudienceRestriction>`,
      },
      'audience_mismatch',
    ],
    ['without AudienceRestriction', { audience: null }, 'conditions_missing: audience'],
    ['without Conditions', { conditions: null }, 'conditions_missing'],
    [
      'under unknown conditions',
      { conditionsXml: '<saml:Condition/>' },
      'message_invalid: unknown condition',
    ],
    [
      'under conditions of others',
      { conditionsXml: '<a:OneTimeUse xmlns:a="urn:a"/>' },
      'message_invalid: unknown condition',
    ],
    ['without SubjectConfirmation', { confirmation: null }, 'confirmation_missing'],
    ['confirmed by the holder of a key', { confirmationMethod: 'holder-of-key' }, 'confirmation_missing'],
    ['confirmed without an end', { confirmationNotOnOrAfter: null }, 'confirmation_missing: NotOnOrAfter'],
    ['confirmed until too long ago', { confirmationNotOnOrAfter: -70 }, 'token_expired'],
    ['confirmed from later on', { confirmationNotBefore: 70 }, 'token_not_yet_valid'],
    ['valid until too long ago', { notOnOrAfter: -70 }, 'token_expired'],
    ['valid from later on', { notBefore: 70 }, 'token_not_yet_valid'],
    ['issued too long ago', { issuedAt: -370 }, 'token_expired'],
    ['issued later on', { issuedAt: 70 }, 'token_not_yet_valid'],
    ['of a session that is over', { sessionNotOnOrAfter: -70 }, 'token_expired'],
    ['without AuthnStatement', { authnStatement: null }, 'claim_invalid: AuthnStatement'],
    ['with an ID too long to keep', { assertionId: `_${'a'.repeat(500)}` }, 'claim_invalid: ID'],
    [
      'with a SessionIndex too long to keep',
      inside('SessionIndex="', `SessionIndex="${'a'.repeat(500)}`),
      'claim_invalid: SessionIndex',
    ],
    [
      'with NUL in a SessionIndex',
      inside('SessionIndex="', 'SessionIndex="&#0;'),
      'message_invalid: not well-formed',
    ],
    ['with an escape in the NameID', { nameIdXml: 'ada&#x1b;[31m' }, 'message_invalid: not well-formed'],
    ['without NameID', { noNameId: true }, 'subject_missing'],
    ['with an empty NameID', { nameIdXml: ' ' }, 'subject_missing'],
    ['with elements in the NameID', { nameIdXml: 'ada@example.com<a/>' }, 'subject_invalid: structure'],
    ['with a NameID too long to keep', { nameIdXml: 'a'.repeat(256) }, 'subject_invalid'],
    [
      'with a transient NameID',
      { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
      'subject_transient',
    ],
    [
      'with a NameID in pieces',
      { nameIdXml: 'ada@example.com<?a b?>.test' },
      'message_invalid: processing instruction',
    ],
  ])('%s', async (_, misbehave, refusal) => {
    expect(await attempt(misbehave)).toBe(refusal);
  });

  test.each<[string, Misbehaviour, Attempt, string]>([
    ['signed by the certificate it carries', { otherKey: true }, {}, 'signature_invalid: value'],
    [
      'not encrypted, where it has to be',
      {},
      { provider: { requireEncryptedAssertions: true } },
      'assertion_unencrypted',
    ],
    [
      'encrypted, where there is no key',
      { encrypt: 'gcm-oaep' },
      { provider: { decryptionKey: undefined } },
      'assertion_undecipherable: no key',
    ],
    [
      'with an encrypted NameID, where there is no key',
      { encryptNameId: true },
      { provider: { decryptionKey: undefined } },
      'assertion_undecipherable: no key',
    ],
    [
      'that is not base64',
      {},
      { carry: (message) => `${message.slice(0, -4)}!!!!` },
      'message_invalid: not base64',
    ],
    ['that is base64url', {}, { carry: () => 'PD94_-8=' }, 'message_invalid: not base64'],
    ['that is empty', {}, { carry: () => '' }, 'message_invalid: not base64'],
    ['that is no XML', {}, { carry: () => encode('hello') }, 'message_invalid: not well-formed'],
    [
      'that stops in the middle',
      {},
      { carry: (message) => message.slice(0, 400) },
      'message_invalid: not well-formed',
    ],
    ['with two roots', {}, { carry: () => encode('<a/><a/>') }, 'message_invalid: not well-formed'],
    [
      'that says a thing twice',
      {},
      { carry: () => encode('<a b="" b=""/>') },
      'message_invalid: not well-formed',
    ],
    ['that is no UTF-8', {}, { carry: () => 'PGE+/zwvYT4=' }, 'message_invalid: encoding'],
    [
      'of another encoding',
      {},
      { carry: () => encode('<?xml version="1.0" encoding="UTF-16"?><a/>') },
      'message_invalid: encoding',
    ],
    [
      'that is too large',
      {},
      { carry: () => encode(`<a>${' '.repeat(262_144)}</a>`) },
      'message_too_large: bytes',
    ],
    ['that is too deep', {}, { carry: () => encode('<a>'.repeat(65)) }, 'message_too_large: depth'],
    [
      'of too many elements',
      {},
      { carry: () => encode(`<a>${'<b/>'.repeat(4_000)}</a>`) },
      'message_too_large: elements',
    ],
  ])('%s', async (_, misbehave, how, refusal) => {
    const carried = { ...misbehave, ...(misbehave.otherKey && { carry: stranger }) };

    expect(await attempt(carried, how)).toBe(refusal);
  });

  test('for one provider at the callback of another, although both trust the same certificate', async () => {
    const elsewhere = ACS_URL.replace('/corp/', '/other/');

    expect(await attempt({}, { answer: { acsUrl: elsewhere } })).toBe('destination_mismatch');
    expect(await attempt({ destination: null }, { answer: { acsUrl: elsewhere } })).toBe(
      'recipient_mismatch',
    );
  });
});

function change(from: string, to: string): Misbehaviour {
  return { afterSigning: (xml) => xml.replaceAll(from, to) };
}

function inside(from: string, to: string): Misbehaviour {
  return { beforeSigning: (xml) => xml.replace(from, to) };
}

const encode = (text: string) => Buffer.from(text).toString('base64');

const breakLines = (message: string) => message.replaceAll(/.{76}/g, '$&\r\n');
