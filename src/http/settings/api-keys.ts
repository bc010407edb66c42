import type { Router } from '@koa/router';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { type ApiKeyRow, listApiKeys } from '#src/auth/list-api-keys.ts';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import { revokeApiKey } from '#src/auth/revoke-api-key.ts';
import type { Fields } from '#src/http/fields.ts';
import { type FormRefusal, formRefusal, unprocessable } from '#src/http/form-refusal.ts';
import { readApiKeyForm } from '#src/http/settings/api-key-form.ts';
import { apiKeysPage, newApiKeyPage, revokeApiKeyPage } from '#src/http/settings/api-keys-page.ts';
import { withId } from '#src/http/settings/with-id.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { notFound } from '#src/kernel/errors.ts';

const PATH = '/settings/api_keys';

/** A signed-in person's own keys for the JSON API. */
export function apiKeyRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    PATH,
    web.forUsers((ctx, user) => show(web, ctx, user)),
  );
  router.post(
    PATH,
    web.forUsers((ctx, user) => create(web, ctx, user)),
  );
  router.get(
    `${PATH}/:id/revoke`,
    withId(web, async (ctx, { userId }, id) => {
      const keys = await web.act(ctx, (work) => listApiKeys(work, { userId }));
      const apiKey = keys.find((key) => key.id === id.toLowerCase());
      if (!apiKey) throw notFound('API key');
      if (apiKey.revokedAt) web.redirect(ctx, PATH, 'api_key_revoked');
      else web.page(ctx, revokeApiKeyPage({ apiKey, token: web.token(ctx) }));
    }),
  );
  router.post(
    `${PATH}/:id/revoke`,
    withId(web, async (ctx, { userId }, id) => {
      await web.form(ctx);
      await web.act(ctx, (work) => revokeApiKey(work, { id, userId }));
      web.redirect(ctx, PATH, 'api_key_revoked');
    }),
  );
}

async function show(web: Web, ctx: WebContext, { userId }: SignedIn, refused?: Refused): Promise<void> {
  const keys: ApiKeyRow[] = await web.act(ctx, (work) => listApiKeys(work, { userId }));
  const page = apiKeysPage({
    keys,
    now: web.runtime.now(),
    token: web.token(ctx),
    fields: refused?.fields ?? new Map(),
    problems: refused?.problems ?? [],
  });
  web.page(ctx, page, refused?.status);
}

interface Refused extends FormRefusal {
  fields: Fields;
}

/** Answers with the key itself: there is no address under which it could be seen again. */
async function create(web: Web, ctx: WebContext, user: SignedIn): Promise<void> {
  const fields = await web.form(ctx);
  const { problems, ...wanted } = readApiKeyForm(fields, web.runtime.now());
  if (problems.length > 0) return show(web, ctx, user, { fields, ...unprocessable(problems) });

  let created: Awaited<ReturnType<typeof createApiKey>>;
  try {
    created = await web.act(ctx, (work) => createApiKey(work, { userId: user.userId, ...wanted }));
  } catch (error) {
    return show(web, ctx, user, { fields, ...formRefusal(ctx, error, { validation_failed: 'name' }) });
  }
  const { appUrl } = web.runtime.config.http;
  web.page(ctx, newApiKeyPage({ ...created, appUrl }), 201);
}
