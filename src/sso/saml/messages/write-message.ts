import { randomBytes } from 'node:crypto';
import { NAMESPACES } from '#src/sso/saml/urns.ts';

/** What every message of ours says of itself (SAML Core, sections 3.2.1 and 3.2.2). */
export interface MessageHead {
  id: string;
  /** Ours at the provider. */
  entityId: string;
  destination: string;
  issuedAt: Date;
}

type Attributes = readonly (readonly [name: string, value: string | undefined])[];

/** An ID nobody can guess; it must not begin with a digit (SAML Core, section 1.3.4). */
export function newMessageId(): string {
  return `_${randomBytes(20).toString('hex')}`;
}

/** A message of that name; `content` is XML, with the prefixes `saml` and `samlp`, and comes after the issuer. */
export function writeMessage(
  name: string,
  { id, entityId, destination, issuedAt }: MessageHead,
  { attributes, content }: { attributes: Attributes; content: string },
): string {
  const all = writeAttributes([
    ['xmlns:samlp', NAMESPACES.protocol],
    ['xmlns:saml', NAMESPACES.assertion],
    ['ID', id],
    ['Version', '2.0'],
    ['IssueInstant', issuedAt.toISOString()],
    ['Destination', destination],
    ...attributes,
  ]);
  return `<samlp:${name}${all}><saml:Issuer>${escapeXml(entityId)}</saml:Issuer>${content}</samlp:${name}>`;
}

/** Without those that are undefined. */
export function writeAttributes(attributes: Attributes): string {
  return attributes
    .flatMap(([name, value]) => (value === undefined ? [] : ` ${name}="${escapeXml(value)}"`))
    .join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Blanks other than spaces are written as references, or a reader would turn them into spaces. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`);
}
