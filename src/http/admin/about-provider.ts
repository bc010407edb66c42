import type { RouterContext } from '@koa/router';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import { noChangePage } from '#src/http/admin/sso-provider-pages.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';
import type { LocalLoginPolicy } from '#src/sso/providers/require-way-in.ts';

interface About {
  /** Of the provider in the path. */
  name: string;
  admin: SignedIn;
}

type Handler = (ctx: WebContext, about: About) => Promise<void>;

/** A route with a provider's name in its path. */
export function aboutProvider(web: Web, handler: Handler): (ctx: RouterContext<WebState>) => Promise<void> {
  return (ctx) => {
    const { name = '' } = ctx.params;
    return web.forSuperAdmins(async (_, admin) => {
      try {
        await handler(ctx, { name, admin });
      } catch (error) {
        throw error instanceof AppError && error.code === 'not_found' ? notFound('Identity provider') : error;
      }
    })(ctx);
  };
}

/** The same for what changes providers, which only those of the database can be. */
export function changingProvider(
  web: Web,
  handler: Handler,
): (ctx: RouterContext<WebState>) => Promise<void> {
  return aboutProvider(web, (ctx, about) => changingProviders(web, () => handler(ctx, about))(ctx));
}

export function changingProviders(
  web: Web,
  handler: (ctx: WebContext) => Promise<void>,
): (ctx: WebContext) => Promise<void> {
  return async (ctx) => {
    const { source, file } = web.runtime.config.sso;
    if (source === 'database') return handler(ctx);
    if (ctx.method !== 'GET') await web.form(ctx);
    const message = `Identity providers come from ${file} and cannot be changed here.`;
    web.page(ctx, noChangePage({ title: 'Identity providers', problems: [{ message }] }), 409);
  };
}

/** Which passwords count as a way in. */
export function loginPolicy({ runtime: { config } }: Web): LocalLoginPolicy {
  const { localLogin, adminOverride } = config.auth;
  return { localLogin, adminOverride };
}
