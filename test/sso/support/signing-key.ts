import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

export interface SigningKey {
  privateKey: KeyObject;
  /** Public, with a `kid`. */
  jwk: Record<string, unknown>;
}

export function makeKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' },
  };
}

type Part = Record<string, unknown>;

export function signJwt(header: Part, claims: Part, key: SigningKey): string {
  const signed = [header, claims].map(encode).join('.');
  return `${signed}.${signature(header, signed, key)}`;
}

const encode = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url');

function signature({ alg }: Part, signed: string, { privateKey }: SigningKey): string {
  if (alg === 'none') return '';
  if (alg === 'HS256') return createHmac('sha256', 'the client secret').update(signed).digest('base64url');
  return sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
}
