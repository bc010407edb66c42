import { randomBytes } from 'node:crypto';
import type { Leaver } from '#src/sso/connector.ts';

interface Envelope {
  id: string;
  /** Ours. */
  entityId: string;
  destination: string;
  issuedAt: Date;
}

export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** An ID nobody can guess; it must not begin with a digit (SAML Core, section 1.3.4). */
export function newMessageId(): string {
  return `_${randomBytes(20).toString('hex')}`;
}

/** SAML Core, section 3.7.1. */
export function writeLogoutRequest(
  envelope: Envelope,
  { subject, nameId, sid }: Omit<Leaver, 'entityId'>,
): string {
  const qualifiers = [
    ['NameQualifier', nameId.nameQualifier],
    ['SPNameQualifier', nameId.spNameQualifier],
    ['Format', nameId.format],
  ];
  const session = sid === undefined ? '' : `<samlp:SessionIndex>${escapeXml(sid)}</samlp:SessionIndex>`;
  const reason = 'urn:oasis:names:tc:SAML:2.0:logout:user';
  return write('LogoutRequest', envelope, {
    attributes: [['Reason', reason]],
    content: `<saml:NameID${writeAttributes(qualifiers)}>${escapeXml(subject)}</saml:NameID>${session}`,
  });
}

/** That the sessions have ended (SAML Core, section 3.7.2). */
export function writeLogoutResponse(envelope: Envelope, inResponseTo: string): string {
  return write('LogoutResponse', envelope, {
    attributes: [['InResponseTo', inResponseTo]],
    content: `<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status>`,
  });
}

type Attributes = readonly (readonly (string | undefined)[])[];

function write(
  name: string,
  { id, entityId, destination, issuedAt }: Envelope,
  { attributes, content }: { attributes: Attributes; content: string },
): string {
  const all = [
    ['xmlns:samlp', 'urn:oasis:names:tc:SAML:2.0:protocol'],
    ['xmlns:saml', 'urn:oasis:names:tc:SAML:2.0:assertion'],
    ['ID', id],
    ['Version', '2.0'],
    ['IssueInstant', issuedAt.toISOString()],
    ['Destination', destination],
    ...attributes,
  ];
  const issuer = `<saml:Issuer>${escapeXml(entityId)}</saml:Issuer>`;
  return `<samlp:${name}${writeAttributes(all)}>${issuer}${content}</samlp:${name}>`;
}

function writeAttributes(attributes: Attributes): string {
  return attributes
    .flatMap(([name, value]) => (value === undefined ? [] : ` ${name}="${escapeXml(value)}"`))
    .join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Blanks other than spaces are written as references, or a reader would turn them into spaces. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`);
}
