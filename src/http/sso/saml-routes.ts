import type { Router } from '@koa/router';
import { finishSaml } from '#src/http/sso/callback.ts';
import { receiveAnswer } from '#src/http/sso/saml-answer.ts';
import { receiveLogout } from '#src/http/sso/saml-logout.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { notFound } from '#src/kernel/errors.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import { buildSpMetadata } from '#src/sso/saml/metadata/build-sp-metadata.ts';
import { lookUpKnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { partyInUse } from '#src/sso/saml/party-in-use.ts';

/** The addresses of this service that a SAML identity provider is told, by the provider's id. */
export function samlRoutes(router: Router<WebState>, web: Web): void {
  for (const path of ['/auth/saml/:id', '/auth/saml/:id/metadata']) {
    router.get(path, (ctx) => sendMetadata(web, ctx, ctx.params.id ?? ''));
  }
  // No forgery token can come with a form of another site. The proofs are the signature, `RelayState`, which one
  // pending login waits for, and then the cookie of the browser that comes for what was proven.
  router.post('/auth/saml/:id/callback', (ctx) => receiveAnswer(web, ctx, ctx.params.id ?? ''));
  router.get('/auth/saml/:id/callback', (ctx) => finishSaml(web, ctx, ctx.params.id ?? ''));
  for (const method of ['get', 'post'] as const) {
    router[method]('/auth/saml/:id/logout', (ctx) => receiveLogout(web, ctx, ctx.params.id ?? ''));
  }
}

/** As soon as the provider is saved, enabled or not: the other side needs it to be set up. */
async function sendMetadata(web: Web, ctx: WebContext, id: string): Promise<void> {
  const { source } = await web.federation.open();
  const provider = (await source.lookUpById(id))?.provider;
  if (provider?.strategy !== 'saml') throw notFound('Identity provider');
  ctx.res.setHeader('Content-Type', 'application/samlmetadata+xml');
  // For everybody, but a key that has been changed holds from the next request on.
  ctx.res.setHeader('Cache-Control', 'no-cache');
  const { config, pool } = web.runtime;
  // Nobody is asked: whoever reads this may be the provider that waits for it.
  const { nameIdFormat } = partyInUse(provider, await lookUpKnownMetadata(sqlOn(pool), provider.id));
  ctx.body = buildSpMetadata(provider, { appUrl: config.http.appUrl, nameIdFormat });
}
