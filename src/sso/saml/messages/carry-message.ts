import { sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { Departure } from '#src/sso/connector.ts';
import type { SamlBinding } from '#src/sso/saml/saml-party.ts';

interface Message {
  kind: 'SAMLRequest' | 'SAMLResponse';
  xml: string;
  relayState?: string | undefined;
}

/** Where it goes, and how. */
interface Delivery {
  to: string;
  binding: SamlBinding;
  /** Ours, as PEM; undefined: it is not signed. */
  privateKey?: string | undefined;
}

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** How a browser carries a message to the provider, signed with RSA-SHA256 (SAML Bindings, sections 3.4 and 3.5). */
export async function carryMessage(message: Message, delivery: Delivery): Promise<Departure> {
  return delivery.binding === 'post' ? carryByPost(message, delivery) : carryByRedirect(message, delivery);
}

async function carryByPost(
  { kind, xml, relayState }: Message,
  { to, privateKey }: Delivery,
): Promise<Departure> {
  const signed = privateKey === undefined ? xml : await signEnveloped(xml, privateKey);
  const form = { [kind]: Buffer.from(signed).toString('base64') };
  return {
    redirectTo: new URL(to),
    form: relayState === undefined ? form : { ...form, RelayState: relayState },
  };
}

async function signEnveloped(xml: string, privateKey: string): Promise<string> {
  const { signSamlPost } = await import('@node-saml/node-saml/lib/saml-post-signing.js');
  return signSamlPost(xml, '/*', { privateKey, signatureAlgorithm: 'sha256', digestAlgorithm: 'sha256' });
}

/** The signature covers the very octets of the query (SAML Bindings, section 3.4.4.1). */
function carryByRedirect({ kind, xml, relayState }: Message, { to, privateKey }: Delivery): Departure {
  const query = [`${kind}=${encode(deflateRawSync(xml).toString('base64'))}`];
  if (relayState !== undefined) query.push(`RelayState=${encode(relayState)}`);
  if (privateKey !== undefined) {
    query.push(`SigAlg=${encode(RSA_SHA256)}`);
    const signature = sign('sha256', Buffer.from(query.join('&')), privateKey).toString('base64');
    query.push(`Signature=${encode(signature)}`);
  }
  const redirectTo = new URL(to);
  redirectTo.search = [redirectTo.search.slice(1), ...query].filter((part) => part !== '').join('&');
  return { redirectTo };
}

/** Also what a URL would encode by itself, after the signature. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27');
}
