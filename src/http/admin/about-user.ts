import type { RouterContext } from '@koa/router';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';

interface About {
  /** Of the user in the path. */
  id: string;
  admin: SignedIn;
}

/** A route with a user's id in its path. An unknown id and a malformed one have the same answer. */
export function aboutUser(
  web: Web,
  handler: (ctx: WebContext, about: About) => Promise<void>,
): (ctx: RouterContext<WebState>) => Promise<void> {
  return (ctx) => {
    const { id = '' } = ctx.params;
    return web.forSuperAdmins(async (_, admin) => {
      if (!isUuid(id)) throw notFound('User');
      try {
        await handler(ctx, { id: id.toLowerCase(), admin });
      } catch (error) {
        throw error instanceof AppError && error.code === 'not_found' ? notFound('User') : error;
      }
    })(ctx);
  };
}
