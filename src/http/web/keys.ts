import { hkdfSync } from 'node:crypto';
import type { Runtime } from '#src/kernel/work.ts';

/** Secrets of the web surface: the first makes, all are accepted (rotation). */
export interface WebKeys {
  /** Sign the session cookie. */
  cookie: string[];
  /** Make and check the tokens of forms. */
  forgery: Buffer[];
}

/** Derived from SESSION_SECRETS, or from SECRET_KEY_BASE when there are none. */
export function deriveWebKeys(runtime: Runtime): WebKeys {
  const { secrets } = runtime.config.session;
  const bases = secrets.length > 0 ? secrets : [runtime.secretKeyBase()];
  return {
    cookie: bases.map((base) => derive(base, 'session-cookie').toString('base64url')),
    forgery: bases.map((base) => derive(base, 'form-token')),
  };
}

function derive(base: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', base, 'finance-server', purpose, 32));
}
