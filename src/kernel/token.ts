import { hash, randomBytes } from 'node:crypto';

const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/** A secret for a link or a cookie: 256 random bits. What is kept of it is `tokenDigest`. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256, enough for a random secret of this size. Undefined when `token` has not the shape of one. */
export function tokenDigest(token: string): Buffer | undefined {
  return SHAPE.test(token) ? hash('sha256', token, 'buffer') : undefined;
}
