import { type BinaryLike, createHmac, createSign } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { IdentityProvider, ServiceProvider, setSchemaValidator } from 'samlify';
import { escapeXml } from '#test/sso/support/saml-attributes.ts';
import { EMAIL_FORMAT, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import type { SamlKey } from '#test/sso/support/saml-keys.ts';
import { newId } from '#test/sso/support/saml-response.ts';
import { type SigningChoices, signElement } from '#test/sso/support/saml-sign.ts';

export type Kind = 'SAMLRequest' | 'SAMLResponse';
export type Binding = 'redirect' | 'post';

/** A message as a browser brings it: a query or the fields of a form. */
export type Sent = { query: string; form?: never } | { query?: never; form: Record<string, string> };

/** What a message says; null leaves a part out, times are seconds from now. */
export interface LogoutWords {
  id?: string;
  destination?: string | null;
  issuer?: string | null;
  issuedAt?: number;
  notOnOrAfter?: number | null;
  version?: string;
  /** Of a request. */
  nameId?: string;
  /** Instead of the NameID, as it is. */
  nameIdXml?: string;
  sids?: readonly string[];
  /** Of an answer. */
  inResponseTo?: string | null;
  status?: string;
  doctype?: boolean;
}

export interface Posting {
  key: SamlKey;
  relayState?: string;
  /** Null: not signed. */
  signed?: null;
  choices?: SigningChoices;
  /** Changes what is sent, after it was signed: a query, or the text of a message. */
  afterSigning?: (sent: string) => string;
}

/** A LogoutRequest or LogoutResponse, written by hand. */
export function writeLogout(kind: Kind, words: LogoutWords): string {
  const name = kind === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse';
  const attributes = {
    ID: words.id ?? newId(),
    Version: words.version ?? '2.0',
    IssueInstant: at(words.issuedAt ?? 0),
    Destination: words.destination,
    NotOnOrAfter: words.notOnOrAfter == null ? undefined : at(words.notOnOrAfter),
    InResponseTo: words.inResponseTo,
  };
  const written = Object.entries(attributes)
    .flatMap(([attribute, value]) => (value == null ? [] : ` ${attribute}="${escapeXml(value)}"`))
    .join('');
  const issuer = words.issuer == null ? '' : `<saml:Issuer>${escapeXml(words.issuer)}</saml:Issuer>`;
  const content = kind === 'SAMLRequest' ? personOf(words) : statusOf(words);
  return [
    words.doctype === true ? '<!DOCTYPE r [<!ENTITY e "x">]>' : '',
    `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"${written}>`,
    `${issuer}${content}</samlp:${name}>`,
  ].join('');
}

const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

function personOf({ nameId = 'ada@example.com', nameIdXml, sids = [] }: LogoutWords): string {
  const person = nameIdXml ?? `<saml:NameID Format="${EMAIL_FORMAT}">${escapeXml(nameId)}</saml:NameID>`;
  return person + sids.map((sid) => `<samlp:SessionIndex>${escapeXml(sid)}</samlp:SessionIndex>`).join('');
}

function statusOf({ status = 'Success' }: LogoutWords): string {
  return `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>`;
}

/** Signs it and puts it into the hands of a browser. */
export function post(binding: Binding, kind: Kind, xml: string, posting: Posting): Sent {
  return binding === 'redirect' ? toQuery(kind, xml, posting) : toForm(kind, xml, posting);
}

function toForm(kind: Kind, xml: string, { key, relayState, signed, choices, afterSigning }: Posting): Sent {
  const id = / ID="([^"]*)"/.exec(xml)?.[1] ?? '';
  const message = signed === null ? xml : signElement(xml, id, key, choices);
  const sent = Buffer.from(afterSigning?.(message) ?? message).toString('base64');
  return { form: { [kind]: sent, ...(relayState !== undefined && { RelayState: relayState }) } };
}

const ALGORITHMS = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  sha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  sha512: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
};

function toQuery(kind: Kind, xml: string, { key, relayState, signed, choices, afterSigning }: Posting): Sent {
  const { signatureAlgorithm: hash = 'sha256' } = choices ?? {};
  const parts = [`${kind}=${deflated(xml)}`];
  if (relayState !== undefined) parts.push(`RelayState=${encodeURIComponent(relayState)}`);
  if (signed !== null) {
    parts.push(`SigAlg=${encodeURIComponent(ALGORITHMS[hash])}`);
    const signature = createSign(hash).update(parts.join('&')).sign(key.privateKey, 'base64');
    parts.push(`Signature=${encodeURIComponent(signature)}`);
  }
  const query = parts.join('&');
  return { query: afterSigning?.(query) ?? query };
}

export function deflated(text: string): string {
  return encodeURIComponent(deflateRawSync(text).toString('base64'));
}

/** Signs a query with what everybody knows: the certificate, taken for a shared secret. */
export function signedByHmac(query: string, secret: BinaryLike): string {
  const algorithm = encodeURIComponent('http://www.w3.org/2000/09/xmldsig#hmac-sha256');
  const octets = `${query.replace(/&(SigAlg|Signature)=.*$/, '')}&SigAlg=${algorithm}`;
  const signature = createHmac('sha256', secret).update(octets).digest('base64');
  return `${octets}&Signature=${encodeURIComponent(signature)}`;
}

/** The text of a message of ours. */
export function textOf(sent: Sent, kind: Kind): string {
  if (sent.form) return Buffer.from(sent.form[kind] ?? '', 'base64').toString();
  const value = new URLSearchParams(sent.query).get(kind) ?? '';
  return inflateRawSync(Buffer.from(value, 'base64')).toString();
}

const services = (location: string) =>
  ['HTTP-Redirect', 'HTTP-POST'].map((binding) => ({
    Binding: `urn:oasis:names:tc:SAML:2.0:bindings:${binding}`,
    Location: location,
  }));

/** The identity provider as samlify is one, and this service as its own metadata says. */
export function samlifyPair({ entityId, key, certificate, ssoUrl, logoutUrl }: SamlIdp, metadata: string) {
  setSchemaValidator({ validate: async () => 'left to its own tests' });
  const settings = {
    entityID: entityId,
    privateKey: key,
    signingCert: certificate,
    requestSignatureAlgorithm: ALGORITHMS.sha256,
    singleSignOnService: services(ssoUrl),
    singleLogoutService: services(logoutUrl),
    wantLogoutRequestSigned: true,
    wantLogoutResponseSigned: true,
    nameIDFormat: [EMAIL_FORMAT],
  };
  const idp = IdentityProvider(settings);
  const sp = ServiceProvider({
    metadata,
    wantLogoutRequestSigned: true,
    wantLogoutResponseSigned: true,
  });
  return { idp, sp };
}
