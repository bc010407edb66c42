import { X509Certificate } from 'node:crypto';
import { whyNotValid } from '#src/sso/parse-certificate.ts';

/** What people compare and watch of a certificate. */
export interface CertificateFacts {
  /** As its maker wrote it, on one line. */
  subject: string;
  /** SHA-256, pairs of hexadecimal digits with colons between. */
  fingerprint: string;
  expiresAt: Date;
  /** Why it is of no use at the moment. */
  problem: string | undefined;
}

export function describeCertificate(pem: string, now: Date): CertificateFacts {
  const { subject, fingerprint256, validToDate } = new X509Certificate(pem);
  return {
    subject: subject?.replaceAll('\n', ', ') || 'no subject',
    fingerprint: fingerprint256,
    expiresAt: validToDate,
    problem: whyNotValid(pem, now),
  };
}

/** The certificates of a text of several, as `parseProvider` has read them. */
export function splitCertificates(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

const WARN_DAYS = 30;

/** Whether it is time to ask for the next one, or past it. */
export function endsSoon(expiresAt: Date, now: Date, days = WARN_DAYS): boolean {
  return expiresAt.getTime() - now.getTime() <= days * 86_400_000;
}
