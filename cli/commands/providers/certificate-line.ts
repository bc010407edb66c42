import type { CertificateFacts } from '#src/sso/providers/describe-certificate.ts';

/** A certificate for people: whose, until when, and what to compare it by. */
export function certificateLine({ subject, fingerprint, expiresAt, problem }: CertificateFacts): string {
  const state = problem ?? `until ${expiresAt.toISOString().slice(0, 10)}`;
  return `${subject}, ${state}, SHA-256 ${fingerprint}`;
}
