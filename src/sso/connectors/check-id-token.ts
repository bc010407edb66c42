import { createHash } from 'node:crypto';
import type { IDToken } from 'openid-client';
import { CLOCK_TOLERANCE } from '#src/sso/connectors/signature-algorithms.ts';
import { isStorableText } from '#src/sso/connectors/storable.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';

interface Checked {
  claims: IDToken;
  idToken: string;
  accessToken: string;
  clientId: string;
  now: Date;
}

/** Seconds; some providers date their tokens back by minutes. */
const OLDEST = 3_600;

/** What openid-client leaves to its callers (OpenID Connect Core 1.0, sections 2, 3.1.3.7 and 3.1.3.8). */
export function checkIdToken({ claims, idToken, accessToken, clientId, now }: Checked): void {
  requireSubject(claims.sub);
  if (claims.azp !== undefined && claims.azp !== clientId)
    throw new LoginRefused('authorized_party_mismatch');

  const age = now.getTime() / 1_000 - claims.iat;
  if (age < -CLOCK_TOLERANCE || age > OLDEST) throw new LoginRefused('issued_at_implausible');

  if (claims.at_hash !== undefined && claims.at_hash !== hashToken(accessToken, readAlgorithm(idToken))) {
    throw new LoginRefused('access_token_mismatch');
  }
}

/** 1 to 255 characters that a database can keep. */
export function requireSubject(subject: unknown): string {
  if (subject === undefined || subject === null || subject === '') throw new LoginRefused('subject_missing');
  if (typeof subject !== 'string' || subject.length > 255 || !isStorableText(subject)) {
    throw new LoginRefused('subject_invalid');
  }
  return subject;
}

/** The left half of the hash that belongs to the signature algorithm; EdDSA's own hash is SHA-512. */
function hashToken(accessToken: string, algorithm: string): string {
  const hash = algorithm.startsWith('Ed') ? 'sha512' : `sha${algorithm.slice(-3)}`;
  const digest = createHash(hash).update(accessToken).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

function readAlgorithm(idToken: string): string {
  const [header = ''] = idToken.split('.');
  const { alg }: { alg: string } = JSON.parse(Buffer.from(header, 'base64url').toString());
  return alg;
}
