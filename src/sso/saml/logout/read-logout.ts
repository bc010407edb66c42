import { LoginRefused } from '#src/sso/login-refused.ts';
import { readTime } from '#src/sso/saml/messages/read-time.ts';
import { childrenNamed, isNamed, readXml, textOf, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';

/** Messages about logging out are small; the slow part of checking them is not to be had for more. */
export const LOGOUT_LIMITS = { bytes: 32 * 1024, elements: 200 };

/** What every message says of itself (SAML Core, sections 3.2.1 and 3.2.2). */
export interface MessageHead {
  id: string;
  issuer: string;
  /** Milliseconds of the epoch. */
  issuedAt: number;
  destination: string | undefined;
}

export interface LogoutRequest extends MessageHead {
  /** Milliseconds of the epoch. */
  notOnOrAfter: number | undefined;
  /** NameID or EncryptedID. */
  person: XmlElement;
  /** The sessions meant; none: all of that person. */
  sids: string[];
}

export interface LogoutResponse extends MessageHead {
  inResponseTo: string | undefined;
  status: string | undefined;
}

/** From text whose signature has been checked (SAML Core, section 3.7.1). Throws `LoginRefused`. */
export function readLogoutRequest(xml: string): LogoutRequest {
  const root = requireRoot(xml, 'LogoutRequest');
  const people = ['NameID', 'EncryptedID', 'BaseID'].flatMap((name) =>
    childrenNamed(root, 'assertion', name),
  );
  const [person] = people;
  if (!person || people.length > 1 || person.name === 'BaseID') throw refused('name_id');
  const notOnOrAfter = root.attributes.get('NotOnOrAfter');
  return {
    ...readHead(root),
    notOnOrAfter: notOnOrAfter === undefined ? undefined : requireTime(notOnOrAfter),
    person,
    // One that says nothing is not one that was left out: then no session is meant, rather than all.
    sids: childrenNamed(root, 'protocol', 'SessionIndex').map((index) => textOf(index) ?? ''),
  };
}

/** From text whose signature has been checked (SAML Core, section 3.7.2). Throws `LoginRefused`. */
export function readLogoutResponse(xml: string): LogoutResponse {
  const root = requireRoot(xml, 'LogoutResponse');
  const [status] = childrenNamed(root, 'protocol', 'Status');
  const [code] = childrenNamed(status, 'protocol', 'StatusCode');
  return {
    ...readHead(root),
    inResponseTo: root.attributes.get('InResponseTo'),
    status: code?.attributes.get('Value'),
  };
}

function requireRoot(xml: string, name: string): XmlElement {
  const root = readXml(xml, LOGOUT_LIMITS);
  if (!isNamed(root, 'protocol', name) || root.attributes.get('Version') !== '2.0') throw refused('type');
  return root;
}

const LONGEST_ID = 500;

function readHead(root: XmlElement): MessageHead {
  const id = root.attributes.get('ID') ?? '';
  if (id === '' || id.length > LONGEST_ID) throw refused('id');
  const issuers = childrenNamed(root, 'assertion', 'Issuer');
  const issuer = textOf(issuers[0]);
  if (issuer === undefined || issuers.length > 1) throw new LoginRefused('issuer_mismatch', 'none');
  return {
    id,
    issuer,
    issuedAt: requireTime(root.attributes.get('IssueInstant')),
    destination: root.attributes.get('Destination'),
  };
}

function requireTime(text: string | undefined): number {
  const time = readTime(text);
  if (time === undefined) throw refused('instant');
  return time;
}

function refused(detail: string): LoginRefused {
  return new LoginRefused('logout_message_invalid', detail);
}
