import type { Router } from '@koa/router';
import { localLogin } from '#src/auth/local-login.ts';
import { logInLocally } from '#src/auth/log-in-locally.ts';
import { sourceOf } from '#src/http/address.ts';
import { loginPage } from '#src/http/auth/login-page.ts';
import { statusOf } from '#src/http/error-response.ts';
import { type Fields, readFields, readForm, requireField } from '#src/http/fields.ts';
import { sayWhenToReturn } from '#src/http/rate-limit.ts';
import { goStraight } from '#src/http/sso/go-straight.ts';
import { type Offers, offerProviders } from '#src/http/sso/offer-providers.ts';
import { signOut, signOutEverywhere } from '#src/http/sso/sign-out.ts';
import { sendTo, sendToProvider } from '#src/http/sso/start.ts';
import type { Problem } from '#src/http/web/layout.ts';
import { returnPath } from '#src/http/web/return-path.ts';
import { enterSession } from '#src/http/web/session.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';

/** Signing in with a password, and out again (decisions, section 2). */
export function loginRoutes(router: Router<WebState>, web: Web): void {
  router.get('/sessions/new', async (ctx) => {
    const returnTo = returnPath(one(ctx.query.return_to));
    if (ctx.state.signedIn) web.redirect(ctx, returnTo);
    else await receiveVisitor(web, ctx, returnTo);
  });
  router.post('/sessions', async (ctx) => {
    if (ctx.is('application/json')) await signInByJson(web, ctx);
    else await signInByForm(web, ctx);
  });
  router.delete('/sessions', async (ctx) => {
    web.forgery.refuseForeign(ctx);
    await signOut(web, ctx);
    ctx.status = 204;
  });
  router.post('/logout', async (ctx) => {
    // A session that has just ended elsewhere has left the form behind; there is nothing more to end.
    if (ctx.state.signedIn) await web.form(ctx);
    const elsewhere = await signOutEverywhere(web, ctx);
    if (elsewhere) sendTo(web, ctx, elsewhere);
    else web.redirect(ctx, '/sessions/new', 'signed_out');
  });
}

/** The page, or at once the one provider there is. */
async function receiveVisitor(web: Web, ctx: WebContext, returnTo: string): Promise<void> {
  const offers = await offerProviders(web);
  const provider = goStraight(web.runtime.config, offers, ctx);
  if (provider) await sendToProvider(web, ctx, { provider: provider.name, purpose: 'login', returnTo });
  else showForm(web, ctx, { offers, returnTo });
}

async function signInByForm(web: Web, ctx: WebContext): Promise<void> {
  const fields = await loginForm(web, ctx);
  const returnTo = returnPath(fields.get('return_to'));
  try {
    await signIn(web, ctx, fields);
    web.redirect(ctx, returnTo);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'local_login_disabled') web.redirect(ctx, '/sessions/new', 'local_login_disabled');
    else await showRefusal(web, ctx, { error, returnTo, email: fields.get('email') });
  }
}

/** Where nobody signs in with a password there is no form that could give a token, and nothing to be tricked into. */
async function loginForm(web: Web, ctx: WebContext): Promise<Fields> {
  if (localLogin(web.runtime.config.auth) !== 'nobody') return web.form(ctx);
  web.forgery.refuseForeign(ctx);
  return readForm(ctx);
}

async function signInByJson(web: Web, ctx: WebContext): Promise<void> {
  web.forgery.refuseForeign(ctx);
  const { userId, email, role } = await signIn(web, ctx, await readFields(ctx));
  ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify({ user: { id: userId, email, role } });
}

async function signIn(web: Web, ctx: WebContext, fields: Fields) {
  const credentials = {
    email: requireField(fields, 'email'),
    password: requireField(fields, 'password'),
    source: sourceOf(ctx),
  };
  const session = await logInLocally(web.runtime, web.actor(ctx), credentials);
  await enterSession(ctx, session.token);
  return session;
}

interface Shown {
  offers: Offers;
  returnTo: string;
  email?: string | undefined;
  problem?: Problem | undefined;
  status?: number | undefined;
}

function showForm(web: Web, ctx: WebContext, { status, ...shown }: Shown): void {
  const policy = localLogin(web.runtime.config.auth);
  web.page(ctx, loginPage({ policy, token: web.token(ctx), ...shown }), status);
}

interface Refusal {
  error: AppError;
  returnTo: string;
  email: string | undefined;
}

/** Wrong credentials are a mistake in a form: 422; they are shown where they can be corrected. */
async function showRefusal(web: Web, ctx: WebContext, { error, returnTo, email }: Refusal): Promise<void> {
  const status = error.code === 'invalid_credentials' ? 422 : statusOf(error);
  if (status >= 500 || status === 403) throw error;
  const problem = { message: error.message, field: 'email' };
  sayWhenToReturn(ctx, error);
  showForm(web, ctx, { offers: await offerProviders(web), returnTo, email, problem, status });
}

function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
