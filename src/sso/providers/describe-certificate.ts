import { X509Certificate } from 'node:crypto';

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

/** Since when the certificate is of no use, if it is not at this moment. */
export function whyNotValid(certificate: string, at: Date): string | undefined {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  if (validToDate <= at) return `expired on ${validToDate.toISOString().slice(0, 10)}`;
  if (validFromDate > at) return `is not valid before ${validFromDate.toISOString().slice(0, 10)}`;
  return undefined;
}

export function expiryOf(certificate: string): Date {
  return new X509Certificate(certificate).validToDate;
}

/**
 * Until when the certificates serve: the end of the last one that has begun. While a provider goes over to another one,
 * the end of the older is no alarm. Undefined when none has begun.
 */
export function lastEnd(certificates: readonly string[], now: Date): Date | undefined {
  return certificates
    .map((pem) => new X509Certificate(pem))
    .filter(({ validFromDate }) => validFromDate <= now)
    .map(({ validToDate }) => validToDate)
    .toSorted((a, b) => a.getTime() - b.getTime())
    .at(-1);
}
