import { verify, X509Certificate } from 'node:crypto';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { DetachedSignature } from '#src/sso/saml/logout/open-envelope.ts';
import { LOGOUT_LIMITS } from '#src/sso/saml/logout/read-logout.ts';
import { SHA1, SIGNATURES } from '#src/sso/saml/messages/algorithms.ts';
import { judgeSignatureAlgorithms } from '#src/sso/saml/messages/judge-algorithms.ts';
import { listSigners } from '#src/sso/saml/messages/list-signers.ts';
import { childrenNamed, readXml } from '#src/sso/saml/messages/read-xml.ts';

export interface Trust {
  /** PEM; any of them may have signed. */
  certificates: readonly string[];
  allowSha1: boolean;
}

/** Throws `LoginRefused` unless the provider has signed exactly this query. */
export function requireDetached(
  signature: DetachedSignature | undefined,
  { certificates, allowSha1 }: Trust,
): void {
  if (!signature) throw new LoginRefused('signature_missing');
  const { algorithm, value, octets } = signature;
  const hash = allowSha1 && algorithm === SHA1.signature ? 'sha1' : SIGNATURES[algorithm];
  if (hash === undefined) throw new LoginRefused('algorithm_refused');
  const data = Buffer.from(octets);
  const isTheirs = (pem: string) => verify(hash, data, new X509Certificate(pem).publicKey, value);
  if (!certificates.some(isTheirs)) throw new LoginRefused('signature_invalid');
}

/** What the provider has signed of a message that carries its signature inside: the whole of it, and nothing else. */
export async function requireEnveloped(xml: string, { certificates, allowSha1 }: Trust): Promise<string> {
  const root = readXml(xml, LOGOUT_LIMITS);
  const [signature, second] = childrenNamed(root, 'signature', 'Signature');
  if (!signature) throw new LoginRefused('signature_missing');
  if (second) throw new LoginRefused('signature_invalid', 'two signatures');
  const { reason, detail } = judgeSignatureAlgorithms(root, allowSha1);
  if (reason) throw new LoginRefused(reason, detail);

  const { getVerifiedXml, parseDomFromString } = await import('@node-saml/node-saml/lib/xml.js');
  try {
    const { documentElement } = await parseDomFromString(xml);
    const signed = getVerifiedXml(xml, documentElement, listSigners(root, certificates));
    if (signed !== null) return signed;
  } catch {
    // The library throws for some of what it does not accept, with whole messages in its errors.
  }
  throw new LoginRefused('signature_invalid');
}
