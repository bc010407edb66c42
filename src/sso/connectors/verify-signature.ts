import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from '#src/sso/connectors/signature-algorithms.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';

export interface Jws {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  algorithm: SignatureAlgorithm;
  /** What is signed. */
  signed: string;
  signature: Buffer;
}

/** Takes a compact JWS apart (RFC 7515); nothing in it is true before `verifySignature`. */
export function parseJws(token: string): Jws {
  const [head = '', payload = '', signature = '', ...more] = token.split('.');
  const header = parseSegment(head);
  const claims = parseSegment(payload);
  if (!header || !claims || more.length > 0 || header.crit !== undefined) {
    throw new LoginRefused('logout_token_invalid');
  }
  const algorithm = SIGNATURE_ALGORITHMS.find((candidate) => candidate === header.alg);
  if (algorithm === undefined) throw new LoginRefused('algorithm_refused');
  return {
    header,
    claims,
    algorithm,
    signed: `${head}.${payload}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Throws `LoginRefused` unless exactly one of the keys fits, and made the signature. */
export function verifySignature(jws: Jws, keys: readonly unknown[]): void {
  const fitting = keys.filter(isRecord).filter((key) => fits(key, jws));
  const [jwk] = fitting;
  if (!jwk) throw new LoginRefused('signing_key_unknown');
  if (fitting.length > 1) throw new LoginRefused('signing_key_ambiguous');
  if (!isSignedBy(importKey(jwk), jws)) throw new LoginRefused('signature_invalid');
}

/** Whether a published key can verify signatures here. */
export function isUsableKey(key: JsonWebKey): boolean {
  const usable = key.kty === 'RSA' || Object.values(CURVES).includes(key.crv);
  if (!usable || (key.use !== undefined && key.use !== 'sig')) return false;
  try {
    return importKey(key).type === 'public';
  } catch {
    return false;
  }
}

const CURVES: Readonly<Record<string, string | undefined>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
  EdDSA: 'Ed25519',
  Ed25519: 'Ed25519',
};

function fits(key: JsonWebKey, { header, algorithm }: Jws): boolean {
  const curve = CURVES[algorithm];
  return (
    (header.kid === undefined || key.kid === header.kid) &&
    (key.alg === undefined || key.alg === algorithm) &&
    (key.use === undefined || key.use === 'sig') &&
    (curve === undefined ? key.kty === 'RSA' : key.crv === curve)
  );
}

function importKey(jwk: JsonWebKey): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new LoginRefused('keys_invalid');
  }
  if ((key.asymmetricKeyDetails?.modulusLength ?? 2_048) < 2_048) throw new LoginRefused('keys_invalid');
  return key;
}

function isSignedBy(key: KeyObject, { algorithm, signed, signature }: Jws): boolean {
  const data = Buffer.from(signed);
  if (algorithm.startsWith('Ed')) return verify(null, data, key, signature);
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return verify(
    `sha${algorithm.slice(-3)}`,
    data,
    {
      key,
      ...(algorithm.startsWith('PS') && pss),
      ...(algorithm.startsWith('ES') && { dsaEncoding: 'ieee-p1363' as const }),
    },
    signature,
  );
}

function parseSegment(segment: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
