import { hash } from 'node:crypto';
import { newToken } from '#src/kernel/token.ts';

/** Longer than an API key, so that neither is ever taken for the other. */
const SHAPE = /^fin_at_[A-Za-z0-9_-]{43}$/;

export function newAccessTokenValue(): string {
  return `fin_at_${newToken()}`;
}

/** What is stored of a bearer token: its SHA-256. Undefined when `value` has not the shape of one. */
export function accessTokenDigest(value: string): Buffer | undefined {
  return SHAPE.test(value) ? hash('sha256', value, 'buffer') : undefined;
}
