import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Fields } from '#src/http/fields.ts';
import { cookieSettings } from '#src/http/web/cookies.ts';
import type { WebKeys } from '#src/http/web/keys.ts';
import type { WebContext } from '#src/http/web/state.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** The field of every form that changes something. */
export const FORGERY_FIELD = 'csrf_token';

/** Protection against requests that another site makes a browser send. */
export interface Forgery {
  /** For a form on the page being answered: bound to the session, or to the browser while nobody is signed in. */
  token(ctx: WebContext): string;
  /** Throws `forbidden` unless the request comes from a page of ours and its form has the token of this browser. */
  refuse(ctx: WebContext, fields: Fields): void;
  /** For requests no form can make (JSON, DELETE): browsers ask before they send those elsewhere, and nobody answers. */
  refuseForeign(ctx: WebContext): void;
  /** What tells this browser from others, whoever is signed in; undefined when it has never been here. */
  browser(ctx: WebContext): string | undefined;
  /** The same, given to the browser if it has none. */
  ensureBrowser(ctx: WebContext): string;
}

export function createForgery(
  { config }: Runtime,
  { forgery: [key = Buffer.alloc(0), ...older] }: WebKeys,
): Forgery {
  const { key: cookie, ...settings } = cookieSettings(config, 'visitor');
  const visitor = (ctx: WebContext) => {
    const given = ctx.cookies.get(cookie, { signed: false });
    return given !== undefined && tokenDigest(given) ? given : undefined;
  };
  const ensureVisitor = (ctx: WebContext) => {
    const known = visitor(ctx);
    const value = known ?? newToken();
    if (known === undefined) ctx.cookies.set(cookie, value, { ...settings, signed: false, overwrite: true });
    return value;
  };
  const bound = (ctx: WebContext) => ctx.state.signedIn?.sessionId ?? visitor(ctx);
  const refuseForeign = (ctx: WebContext) => {
    if (!isOwnOrigin(ctx, config.http.appUrl)) throw foreign();
  };

  return {
    token: (ctx) => {
      const binding = ctx.state.signedIn?.sessionId ?? ensureVisitor(ctx);
      return sign(key, binding).toString('base64url');
    },
    refuse: (ctx, fields) => {
      refuseForeign(ctx);
      const binding = bound(ctx);
      const given = Buffer.from(fields.get(FORGERY_FIELD) ?? '', 'base64url');
      if (binding === undefined || ![key, ...older].some((each) => isEqual(sign(each, binding), given)))
        throw stale();
    },
    refuseForeign,
    browser: visitor,
    ensureBrowser: ensureVisitor,
  };
}

function sign(key: Buffer, binding: string): Buffer {
  return createHmac('sha256', key).update(binding).digest();
}

function isEqual(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** By Fetch Metadata where the browser sends it, else by Origin; programs that send neither have no one to be tricked. */
function isOwnOrigin({ req }: WebContext, appUrl: string): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = req.headers;
  if (origin === undefined || origin === appUrl) return true;
  // Another name for this very server, such as 127.0.0.1 for localhost.
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return host === req.headers.host && protocol === new URL(appUrl).protocol;
}

function foreign(): AppError {
  return new AppError('forbidden', 'This request came from another site and was refused');
}

function stale(): AppError {
  return new AppError(
    'forbidden',
    'This form is out of date. Go back, load the page again and repeat it; cookies must be allowed for this site.',
  );
}
