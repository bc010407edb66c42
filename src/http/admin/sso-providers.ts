import type { Router } from '@koa/router';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import { aboutProvider, changingProvider, loginPolicy } from '#src/http/admin/about-provider.ts';
import {
  deleteProviderPage,
  disablePage,
  noChangePage,
  providerTestPage,
} from '#src/http/admin/sso-provider-pages.ts';
import { providersPage } from '#src/http/admin/sso-providers-page.ts';
import { formRefusal } from '#src/http/form-refusal.ts';
import { offerProviders } from '#src/http/sso/offer-providers.ts';
import { sendTo } from '#src/http/sso/start.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import { checkProvider } from '#src/sso/checks/check-provider.ts';
import { startLogin } from '#src/sso/login/start-login.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { deleteProvider, previewProviderDeletion } from '#src/sso/providers/delete-provider.ts';
import { findEntry } from '#src/sso/providers/find-entry.ts';
import { findProvider } from '#src/sso/providers/find-provider.ts';
import { listProviderUsage } from '#src/sso/providers/list-provider-usage.ts';
import { requireWayIn } from '#src/sso/providers/require-way-in.ts';
import { setProviderEnabled } from '#src/sso/providers/set-provider-enabled.ts';
import { listKnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';

const LIST = '/admin/sso_providers';

/** Which identity providers there are, and everything but their settings. */
export function providersRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    LIST,
    web.forSuperAdmins((ctx) => show(web, ctx)),
  );
  router.post(
    `${LIST}/:name/test`,
    aboutProvider(web, (ctx, { name }) => test(web, ctx, name)),
  );
  router.post(
    `${LIST}/:name/try`,
    aboutProvider(web, (ctx, about) => tryLogin(web, ctx, about)),
  );
  router.post(
    `${LIST}/:name/enable`,
    changingProvider(web, (ctx, { name }) => enable(web, ctx, name)),
  );
  router.post(
    `${LIST}/:name/disable`,
    changingProvider(web, (ctx, { name }) => disable(web, ctx, name)),
  );
  router.get(
    `${LIST}/:name/delete`,
    changingProvider(web, (ctx, { name }) => askToDelete(web, ctx, name)),
  );
  router.post(
    `${LIST}/:name/delete`,
    changingProvider(web, (ctx, { name }) => remove(web, ctx, name)),
  );
}

async function show(web: Web, ctx: WebContext): Promise<void> {
  const { config } = web.runtime;
  const { source } = await web.federation.open();
  const entries = await source.list();
  const [usage, metadata] = await web.act(ctx, async (work) => [
    await listProviderUsage(work),
    await listKnownMetadata(work),
  ]);
  const file = config.sso.source === 'database' ? undefined : config.sso.file;
  const now = web.runtime.now();
  // "Try sign-in" leads to the provider.
  const { formTargets } = await offerProviders(web);
  const page = providersPage({ entries, usage, metadata, file, now, token: web.token(ctx) });
  web.page(ctx, { ...page, formTargets });
}

async function test(web: Web, ctx: WebContext, name: string): Promise<void> {
  await web.form(ctx);
  const { source, access } = await web.federation.open();
  const { provider, problem } = await findEntry(source, name);
  if (!provider)
    throw new AppError('conflict', `${name} cannot work: ${problem ?? 'its settings are wrong'}`);
  const report = await checkProvider(provider, access);
  web.page(ctx, providerTestPage(provider.name, report, web.token(ctx)));
}

/** A real round trip that signs nobody in; it ends at the provider's callback. */
async function tryLogin(
  web: Web,
  ctx: WebContext,
  { name, admin }: { name: string; admin: SignedIn },
): Promise<void> {
  await web.form(ctx);
  const federation = await web.federation.open();
  const browser = web.forgery.ensureBrowser(ctx);
  const start = { provider: name, purpose: 'try', userId: admin.userId, browser } as const;
  try {
    sendTo(web, ctx, await startLogin(federation, start));
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    const problems = [{ message: error.message }];
    web.page(ctx, noChangePage({ title: `Trial of ${name}`, problems }), 409);
  }
}

async function enable(web: Web, ctx: WebContext, name: string): Promise<void> {
  await web.form(ctx);
  const policy = loginPolicy(web);
  await web.act(ctx, (work) => setProviderEnabled(work, { provider: name, enabled: true, policy }));
  web.redirect(ctx, LIST, 'provider_enabled');
}

async function disable(web: Web, ctx: WebContext, name: string): Promise<void> {
  const fields = await web.form(ctx);
  const policy = loginPolicy(web);
  const force = fields.get('force') === 'true';
  try {
    await web.act(ctx, (work) => setProviderEnabled(work, { provider: name, enabled: false, policy, force }));
  } catch (error) {
    const { status, problems } = formRefusal(ctx, error, { forbidden: '' });
    const { stranded } = await web.act(ctx, (work) =>
      previewProviderDeletion(work, { provider: name, policy }),
    );
    const mayForce = !force && (await isForceable(web, ctx, name));
    return web.page(ctx, disablePage({ name, stranded, mayForce, token: web.token(ctx), problems }), status);
  }
  web.redirect(ctx, LIST, 'provider_disabled');
}

/** Not when no super admin could sign in afterwards. */
async function isForceable(web: Web, ctx: WebContext, name: string): Promise<boolean> {
  try {
    await web.act(ctx, async (work) => {
      await requireWayIn(work, await findProvider(work, name), loginPolicy(web), true);
    });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return false;
    throw error;
  }
}

async function askToDelete(web: Web, ctx: WebContext, name: string): Promise<void> {
  const policy = loginPolicy(web);
  const departure = await web.act(ctx, (work) => previewProviderDeletion(work, { provider: name, policy }));
  web.page(ctx, deleteProviderPage({ departure, token: web.token(ctx) }));
}

async function remove(web: Web, ctx: WebContext, name: string): Promise<void> {
  const fields = await web.form(ctx);
  const deletion = { provider: name, policy: loginPolicy(web), force: fields.get('force') === 'true' };
  try {
    await web.act(ctx, (work) => deleteProvider(work, deletion));
  } catch (error) {
    const { status, problems } = formRefusal(ctx, error, { forbidden: 'force' });
    const departure = await web.act(ctx, (work) => previewProviderDeletion(work, deletion));
    return web.page(ctx, deleteProviderPage({ departure, token: web.token(ctx), problems }), status);
  }
  web.redirect(ctx, LIST, 'provider_deleted');
}
