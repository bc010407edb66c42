import { accessTokenDigest } from '#src/auth/access-token-value.ts';
import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { keyReader, tokenReader, unauthorized } from '#src/auth/readers.ts';
import type { Context } from '#src/http/state.ts';
import type { Reader } from '#src/kernel/reader.ts';
import type { Runtime } from '#src/kernel/work.ts';

const BEARER = /^bearer(?: +(.*))?$/i;

/**
 * A reader for whoever sends an API key in `X-Api-Key`, or a token issued for one in `Authorization: Bearer`. Both at
 * once are refused (RFC 6750, section 2). Beside a key, another scheme is a proxy's business.
 */
export function readerOf(runtime: Runtime, ctx: Context, used: (keyId: string) => void): Reader {
  const key = ctx.req.headers['x-api-key'];
  const bearer = isBearer(ctx);
  // A repeated key arrives joined by a comma, which no key contains.
  if (!bearer && typeof key === 'string') {
    return keyReader(runtime, { digest: known(apiKeyDigest(key)), needs: 'read' }, used);
  }
  if (bearer && key === undefined) {
    return tokenReader(
      runtime,
      { digest: known(accessTokenDigest(presentedToken(ctx))), needs: 'read' },
      used,
    );
  }
  throw unauthorized();
}

/** `WWW-Authenticate` of a 401 (RFC 6750, section 3): an error is named only to those who sent a token. */
export function challenge(ctx: Context): string {
  return isBearer(ctx) ? 'Bearer error="invalid_token"' : 'Bearer realm="api"';
}

function isBearer({ req }: Context): boolean {
  const given = req.headers.authorization;
  return given !== undefined && BEARER.test(given);
}

/** Empty when the header is given twice; Node would take the first. */
function presentedToken({ req }: Context): string {
  const [given = '', ...more] = req.headersDistinct.authorization ?? [];
  return more.length > 0 ? '' : (BEARER.exec(given)?.[1] ?? '');
}

function known(digest: Buffer | undefined): Buffer {
  if (!digest) throw unauthorized();
  return digest;
}
