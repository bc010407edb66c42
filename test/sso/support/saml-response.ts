import { randomUUID } from 'node:crypto';
import { attributeStatement, escapeXml, type SentAttributes } from '#test/sso/support/saml-attributes.ts';
import { type SamlKey, samlKey } from '#test/sso/support/saml-keys.ts';
import type { Misbehaviour } from '#test/sso/support/saml-misbehaviour.ts';
import { encryptXml, signElement } from '#test/sso/support/saml-sign.ts';
import { wrapSignature } from '#test/sso/support/saml-wrapping.ts';

const EVIL_NAME_ID = 'mallory@example.com';

export interface ResponseContent {
  entityId: string;
  key: SamlKey;
  /** Undefined: nobody asked. */
  requestId?: string | undefined;
  acsUrl: string;
  audience: string;
  nameId: string;
  nameIdFormat: string;
  sessionIndex: string;
  attributes: SentAttributes;
  /** PEM; of whom it is encrypted for. */
  encryptTo?: string | undefined;
}

const NAMESPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';

/** A response as XML, well-behaved but for what is named. */
export async function writeResponse(content: ResponseContent, bad: Misbehaviour): Promise<string> {
  const key = bad.otherKey ? await samlKey('somebody else') : content.key;
  const responseId = newId();
  const sign = bad.sign ?? (bad.wrap !== undefined && bad.wrap <= 2 ? 'response' : 'assertion');

  const inside = bad.noAssertion ? [] : bad.twoAssertions ? [1, 2] : [1];
  const assertions = inside.map(() => writeSealedAssertion(content, bad, sign, key));
  const envelope = writeEnvelope(responseId, content, bad, assertions.join(''));
  const signed =
    sign === 'response' || sign === 'both' ? signElement(envelope, responseId, key, bad) : envelope;
  const wrapped =
    bad.wrap === undefined
      ? signed
      : wrapSignature({ xml: signed, variant: bad.wrap, nameId: content.nameId, evilNameId: EVIL_NAME_ID });
  const typed = bad.doctype ? `<!DOCTYPE Response [<!ENTITY a "b">]>${wrapped}` : wrapped;
  return bad.afterSigning?.(typed) ?? typed;
}

function writeEnvelope(id: string, content: ResponseContent, bad: Misbehaviour, inside: string): string {
  const attributes = writeAttributes({
    ID: id,
    Version: bad.version ?? '2.0',
    IssueInstant: secondsFromNow(bad.issuedAt ?? 0),
    Destination: bad.destination === undefined ? content.acsUrl : bad.destination,
    InResponseTo: firstGiven(bad.responseInResponseTo, bad.inResponseTo, content.requestId ?? null),
  });
  return `<samlp:Response ${NAMESPACES}${attributes}>${writeIssuer(firstGiven(bad.responseIssuer, bad.issuer, content.entityId))}${writeStatus(bad)}${inside}</samlp:Response>`;
}

function writeStatus({ status = 'Success', subStatus, statusMessage }: Misbehaviour): string {
  const sub = subStatus === undefined ? '' : `<samlp:StatusCode ${urn(subStatus)}/>`;
  const message =
    statusMessage === undefined
      ? ''
      : `<samlp:StatusMessage>${escapeXml(statusMessage)}</samlp:StatusMessage>`;
  return `<samlp:Status><samlp:StatusCode ${urn(status)}>${sub}</samlp:StatusCode>${message}</samlp:Status>`;
}

function writeSealedAssertion(
  content: ResponseContent,
  bad: Misbehaviour,
  sign: string,
  key: SamlKey,
): string {
  const id = bad.assertionId ?? newId();
  const plain = writeAssertion(id, content, bad);
  const prepared = bad.beforeSigning?.(plain) ?? plain;
  const signed = sign === 'assertion' || sign === 'both' ? signElement(prepared, id, key, bad) : prepared;
  if (bad.encrypt === undefined) return signed;
  const sealed = encryptXml(bad.encryptedXml ?? signed, requireRecipient(content), bad.encrypt);
  return `<saml:EncryptedAssertion>${sealed}</saml:EncryptedAssertion>`;
}

function writeAssertion(id: string, content: ResponseContent, bad: Misbehaviour): string {
  const attributes = writeAttributes({
    ID: id,
    Version: '2.0',
    IssueInstant: secondsFromNow(bad.issuedAt ?? 0),
  });
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"${attributes}>`,
    writeIssuer(firstGiven(bad.assertionIssuer, bad.issuer, content.entityId)),
    `<saml:Subject>${writeNameId(content, bad)}${writeConfirmation(content, bad)}</saml:Subject>`,
    writeConditions(content, bad),
    writeAuthnStatement(content, bad),
    bad.attributesXml ?? attributeStatement(content.attributes),
    '</saml:Assertion>',
  ].join('');
}

function writeNameId(content: ResponseContent, bad: Misbehaviour): string {
  if (bad.noNameId) return '';
  const Format = bad.nameIdFormat === undefined ? content.nameIdFormat : bad.nameIdFormat;
  const text = bad.nameIdXml ?? escapeXml(content.nameId);
  const nameId = `<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"${writeAttributes({ Format })}>${text}</saml:NameID>`;
  if (!bad.encryptNameId) return nameId;
  return `<saml:EncryptedID>${encryptXml(nameId, requireRecipient(content), bad.encrypt ?? 'gcm-oaep')}</saml:EncryptedID>`;
}

function writeConfirmation(content: ResponseContent, bad: Misbehaviour): string {
  if (bad.confirmation === null) return '';
  const data = writeAttributes({
    NotBefore: bad.confirmationNotBefore === undefined ? null : secondsFromNow(bad.confirmationNotBefore),
    NotOnOrAfter: timeOf(firstGiven(bad.confirmationNotOnOrAfter, undefined, 300)),
    Recipient: bad.recipient === undefined ? content.acsUrl : bad.recipient,
    InResponseTo: firstGiven(bad.confirmationInResponseTo, bad.inResponseTo, content.requestId ?? null),
  });
  const method = `urn:oasis:names:tc:SAML:2.0:cm:${bad.confirmationMethod ?? 'bearer'}`;
  return `<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData${data}/></saml:SubjectConfirmation>`;
}

function writeConditions(content: ResponseContent, bad: Misbehaviour): string {
  if (bad.conditions === null) return '';
  const times = writeAttributes({
    NotBefore: timeOf(firstGiven(bad.notBefore, undefined, -5)),
    NotOnOrAfter: timeOf(firstGiven(bad.notOnOrAfter, undefined, 300)),
  });
  const audience = bad.audience === undefined ? content.audience : bad.audience;
  const names = audience === null ? [] : [audience].flat();
  const restriction = `<saml:AudienceRestriction>${names.map((name) => `<saml:Audience>${escapeXml(name)}</saml:Audience>`).join('')}</saml:AudienceRestriction>`;
  return `<saml:Conditions${times}>${audience === null ? '' : restriction}${bad.conditionsXml ?? ''}</saml:Conditions>`;
}

function writeAuthnStatement({ sessionIndex }: ResponseContent, bad: Misbehaviour): string {
  if (bad.authnStatement === null) return '';
  const attributes = writeAttributes({
    AuthnInstant: secondsFromNow(0),
    SessionIndex: sessionIndex,
    SessionNotOnOrAfter:
      bad.sessionNotOnOrAfter === undefined ? null : secondsFromNow(bad.sessionNotOnOrAfter),
  });
  const context = 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password';
  return `<saml:AuthnStatement${attributes}><saml:AuthnContext><saml:AuthnContextClassRef>${context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
}

const writeIssuer = (issuer: string | null) =>
  issuer === null ? '' : `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer>`;

function writeAttributes(attributes: Record<string, string | null>): string {
  return Object.entries(attributes)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeXml(value)}"`))
    .join('');
}

function firstGiven<Value>(own: Value | undefined, both: Value | undefined, usual: Value): Value {
  if (own !== undefined) return own;
  return both === undefined ? usual : both;
}

function requireRecipient({ encryptTo }: ResponseContent): string {
  if (encryptTo === undefined) throw new Error('encrypting needs the certificate of the recipient');
  return encryptTo;
}

const timeOf = (seconds: number | null) => (seconds === null ? null : secondsFromNow(seconds));

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

export const newId = () => `_${randomUUID()}`;

const urn = (name: string) => `Value="urn:oasis:names:tc:SAML:2.0:status:${name}"`;
