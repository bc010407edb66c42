import type { Router } from '@koa/router';
import { endByProvider } from '#src/http/sso/backchannel-logout.ts';
import { finish } from '#src/http/sso/callback.ts';
import { confirmLink, showLink } from '#src/http/sso/link.ts';
import { samlRoutes } from '#src/http/sso/saml-routes.ts';
import { start } from '#src/http/sso/start.ts';
import type { WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';

/** Signing in at an identity provider, and what comes back from there (specification, Web routes). */
export function ssoRoutes(router: Router<WebState>, web: Web): void {
  samlRoutes(router, web);
  // No provider can have this name.
  router.get('/auth/logout/callback', async (ctx) => web.redirect(ctx, '/sessions/new', 'signed_out'));
  router.post('/auth/:name', (ctx) => start(web, ctx, ctx.params.name ?? ''));
  router.get('/auth/:name/callback', (ctx) => finish(web, ctx, ctx.params.name ?? ''));
  router.post('/auth/:name/backchannel_logout', (ctx) => endByProvider(web, ctx, ctx.params.name ?? ''));
  router.get('/sessions/link', (ctx) => showLink(web, ctx));
  router.post('/sessions/link', (ctx) => confirmLink(web, ctx));
}
