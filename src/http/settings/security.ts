import type { Router } from '@koa/router';
import { html } from '#src/http/html.ts';
import type { WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';

export function securityRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    '/settings/security',
    web.forUsers(async (ctx) => web.page(ctx, { title: 'Security', body: html`` })),
  );
}
