import { X509Certificate } from 'node:crypto';

export const SHORTEST_KEY = 2_048;
export const LONGEST_KEY = 8_192;

export interface CertificateRequest {
  /** The entity id it is made for. */
  entityId: string;
  use: KeyUse;
  from: Date;
  days: number;
  bits: number;
}

export const KEY_USES = ['signing', 'encryption'] as const;

export type KeyUse = (typeof KEY_USES)[number];

export interface KeyPair {
  /** PEM, PKCS #8. */
  privateKey: string;
  /** PEM. */
  certificate: string;
}

/** An RSA key with a certificate that it signs itself, as SAML wants them: nobody asks who issued it (RFC 5280). */
export async function makeCertificate({
  entityId,
  use,
  from,
  days,
  bits,
}: CertificateRequest): Promise<KeyPair> {
  const { generate } = await import('selfsigned');
  // Clocks of others may be behind.
  const notBeforeDate = new Date(from.getTime() - 5 * 60_000);
  const pair = await generate([{ name: 'commonName', value: commonName(entityId) }], {
    keyType: 'rsa',
    keySize: bits,
    algorithm: 'sha256',
    notBeforeDate,
    notAfterDate: new Date(from.getTime() + days * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', critical: true, ...USAGES[use] },
      { name: 'subjectAltName', altNames: [{ type: 6, value: entityId }] },
    ],
  });
  return { privateKey: pair.private, certificate: new X509Certificate(pair.cert).toString() };
}

const USAGES = { signing: { digitalSignature: true }, encryption: { keyEncipherment: true } } as const;

/** At most 64 characters (RFC 5280, appendix A.1): a longer entity id is named by its host. Escaped as in RFC 4514. */
function commonName(entityId: string): string {
  const name = entityId.length <= 64 ? entityId : new URL(entityId).hostname.slice(0, 64);
  return name.replaceAll(/[,+"\\<>;=#]/g, String.raw`\$&`);
}
