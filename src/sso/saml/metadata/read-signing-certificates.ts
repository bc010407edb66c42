import { X509Certificate } from 'node:crypto';
import { isStrongRsa } from '#src/sso/providers/parse-certificate.ts';
import { attributeOf, childrenNamed, textOf, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';

const LIMIT = 20;

/**
 * The certificates of a role that may sign, as PEM, each once; a note for each that is left out. Those that have expired
 * by `now` stay only where there is no other.
 */
export function readSigningCertificates(role: XmlElement, notes: string[], now: Date | undefined): string[] {
  const usable = new Map<string, X509Certificate>();
  for (const descriptor of childrenNamed(role, 'metadata', 'KeyDescriptor').filter(maySign)) {
    const chains = listChains(descriptor, notes);
    if (chains.length === 0) notes.push('A key was left out: it comes without a certificate.');
    for (const certificate of chains.flatMap(withoutAuthorities)) {
      if (isStrongRsa(certificate.publicKey)) {
        usable.set(certificate.fingerprint256, certificate);
      } else notes.push('A certificate was left out: it is not RSA of at least 2048 bits.');
    }
  }
  const certificates = withoutExpired([...usable.values()], notes, now);
  if (certificates.length > LIMIT) notes.push(`Only the first ${LIMIT} certificates are used.`);
  return certificates.slice(0, LIMIT).map(String);
}

function withoutExpired(
  certificates: X509Certificate[],
  notes: string[],
  now: Date | undefined,
): X509Certificate[] {
  const current = certificates.filter(({ validToDate }) => now === undefined || validToDate > now);
  if (current.length === 0) return certificates;
  for (const { validToDate } of certificates.filter((each) => !current.includes(each))) {
    notes.push(`A certificate was left out: it expired on ${validToDate.toISOString().slice(0, 10)}.`);
  }
  return current;
}

/** A key without a use is for everything (SAML Metadata, section 2.4.1.1). */
function maySign(descriptor: XmlElement): boolean {
  return (attributeOf(descriptor, 'use') ?? 'signing') === 'signing';
}

function listChains(descriptor: XmlElement, notes: string[]): X509Certificate[][] {
  return inside(inside([descriptor], 'KeyInfo'), 'X509Data').map((data) =>
    inside([data], 'X509Certificate').flatMap((element) => {
      const certificate = parse(textOf(element) ?? '');
      if (!certificate) notes.push('A certificate was left out: it cannot be read.');
      return certificate ?? [];
    }),
  );
}

function inside(parents: XmlElement[], name: string): XmlElement[] {
  return parents.flatMap((parent) => childrenNamed(parent, 'signature', name));
}

/** What comes together is one key with the authorities above it, who do not sign messages (XML Signature, section 4.5.4). */
function withoutAuthorities(chain: X509Certificate[]): X509Certificate[] {
  return chain.filter(
    ({ ca, publicKey }) =>
      !ca || !chain.some((other) => !other.publicKey.equals(publicKey) && other.verify(publicKey)),
  );
}

function parse(base64: string): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}
