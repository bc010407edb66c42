import { verify, X509Certificate } from 'node:crypto';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { DetachedSignature } from '#src/sso/saml/logout-envelope.ts';
import { LOGOUT_LIMITS } from '#src/sso/saml/logout-read.ts';
import { childrenNamed, descendantsNamed, readXml, type XmlElement } from '#src/sso/saml/read-xml.ts';

export interface Trust {
  /** PEM; any of them may have signed. */
  certificates: readonly string[];
  allowSha1: boolean;
}

const HASHES: Record<string, string> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': 'sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
};
const SHA1 = ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'http://www.w3.org/2000/09/xmldsig#sha1'];
const DIGESTS = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'];

/** Throws `LoginRefused` unless the provider has signed exactly this query. */
export function requireDetached(
  signature: DetachedSignature | undefined,
  { certificates, allowSha1 }: Trust,
): void {
  if (!signature) throw new LoginRefused('signature_missing');
  const { algorithm, value, octets } = signature;
  const hash = allowSha1 && algorithm === SHA1[0] ? 'sha1' : HASHES[algorithm];
  if (hash === undefined) throw new LoginRefused('algorithm_refused');
  const data = Buffer.from(octets);
  const isTheirs = (pem: string) => verify(hash, data, new X509Certificate(pem).publicKey, value);
  if (!certificates.some(isTheirs)) throw new LoginRefused('signature_invalid');
}

/** What the provider has signed of a message that carries its signature inside: the whole of it, and nothing else. */
export async function requireEnveloped(xml: string, { certificates, allowSha1 }: Trust): Promise<string> {
  const [signature, second] = childrenNamed(readXml(xml, LOGOUT_LIMITS), 'signature', 'Signature');
  if (!signature) throw new LoginRefused('signature_missing');
  if (second) throw new LoginRefused('signature_invalid', 'two signatures');
  requireAlgorithms(signature, allowSha1);

  const { getVerifiedXml, parseDomFromString } = await import('@node-saml/node-saml/lib/xml.js');
  try {
    const { documentElement } = await parseDomFromString(xml);
    const signed = getVerifiedXml(xml, documentElement, [...certificates]);
    if (signed !== null) return signed;
  } catch {
    // The library throws for some of what it does not accept, with whole messages in its errors.
  }
  throw new LoginRefused('signature_invalid');
}

/** Wherever in the signature the library may look for them, there is one of each, and it is allowed. */
function requireAlgorithms(signature: XmlElement, allowSha1: boolean): void {
  const weak = allowSha1 ? SHA1 : [];
  const isAllowed = (name: string, allowed: readonly string[]) => {
    const methods = descendantsNamed(signature, 'signature', name);
    const [algorithm = ''] = methods.map(({ attributes }) => attributes.get('Algorithm'));
    return methods.length === 1 && allowed.includes(algorithm);
  };
  const allowed =
    isAllowed('SignatureMethod', [...Object.keys(HASHES), ...weak]) &&
    isAllowed('DigestMethod', [...DIGESTS, ...weak]);
  if (!allowed) throw new LoginRefused('algorithm_refused');
}
