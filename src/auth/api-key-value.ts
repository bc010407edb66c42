import { hash, randomBytes } from 'node:crypto';

/** 256 random bits behind a prefix that secret scanners can look for. */
const SHAPE = /^fin_[A-Za-z0-9_-]{43}$/;

export function newApiKeyValue(): string {
  return `fin_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a key: SHA-256, enough for a random secret of this size. Undefined when `value` is no key. */
export function apiKeyDigest(value: string): Buffer | undefined {
  return SHAPE.test(value) ? hash('sha256', value, 'buffer') : undefined;
}
