import type { RouterContext } from '@koa/router';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';

type IdHandler = (ctx: WebContext, user: SignedIn, id: string) => Promise<void>;

/** A route for people who are signed in, with the id of something of theirs in its path; it may be anything. */
export function withId(web: Web, handler: IdHandler): (ctx: RouterContext<WebState>) => Promise<void> {
  return (ctx) => web.forUsers((_, user) => handler(ctx, user, ctx.params.id ?? ''))(ctx);
}
