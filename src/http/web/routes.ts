import { Router, type RouterContext } from '@koa/router';
import type Koa from 'koa';
import { adminRoutes } from '#src/http/admin/routes.ts';
import { sendAsset } from '#src/http/assets.ts';
import { invitationRoutes } from '#src/http/auth/invitation.ts';
import { loginRoutes } from '#src/http/auth/login.ts';
import { passwordResetRoutes } from '#src/http/auth/password-reset.ts';
import type { Background } from '#src/http/background.ts';
import { carriesBody, readBody } from '#src/http/middleware/bound-body.ts';
import { apiKeyRoutes } from '#src/http/settings/api-keys.ts';
import { securityRoutes } from '#src/http/settings/security.ts';
import { ssoRoutes } from '#src/http/sso/routes.ts';
import type { State } from '#src/http/state.ts';
import { adminLimit } from '#src/http/web/admin-limit.ts';
import { deriveWebKeys } from '#src/http/web/keys.ts';
import { sessions } from '#src/http/web/session.ts';
import type { WebState } from '#src/http/web/state.ts';
import { createWeb } from '#src/http/web/web.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { LazyFederation } from '#src/sso/lazy-federation.ts';

export type WebMiddleware = (ctx: RouterContext<WebState>, next: Koa.Next) => Promise<void>;

/** The surface for browsers: assets, limits, session, pages. */
export function webRoutes(
  koa: Koa<State>,
  runtime: Runtime,
  background: Background,
  federation: LazyFederation,
): WebMiddleware {
  const keys = deriveWebKeys(runtime);
  const limit = adminLimit(runtime);
  const web = createWeb(runtime, keys, federation);

  const router = new Router<WebState>({ sensitive: true, strict: true });
  router.use(readWhole);
  router.use(sessions(koa, runtime, keys));
  router.get(
    '/',
    web.forUsers(async (ctx) => web.redirect(ctx, '/settings/security')),
  );
  loginRoutes(router, web);
  passwordResetRoutes(router, web, background);
  invitationRoutes(router, web);
  ssoRoutes(router, web);
  securityRoutes(router, web);
  apiKeyRoutes(router, web);
  adminRoutes(router, web);
  const pages = router.routes();

  return async (ctx, next) => {
    if (sendAsset(ctx)) return;
    // Before anything is known of who asks, and for paths that lead nowhere too.
    if (/^\/admin(\/|$)/i.test(ctx.path)) await limit(ctx);
    await pages(ctx, next);
  };
}

/** Whoever holds back the rest of a form would otherwise be judged by what they were when they began it. */
const readWhole: Koa.Middleware<State> = async (ctx, next) => {
  if (carriesBody(ctx.req)) await readBody(ctx);
  await next();
};
