import type { SignedIn } from '#src/auth/look-up-session.ts';
import { addressOf } from '#src/http/address.ts';
import { type Fields, readForm } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { createForgery, FORGERY_FIELD, type Forgery } from '#src/http/web/forgery.ts';
import type { WebKeys } from '#src/http/web/keys.ts';
import { layout, type Page } from '#src/http/web/layout.ts';
import { isNotice, type Notice } from '#src/http/web/notices.ts';
import { pageHeaders } from '#src/http/web/page-headers.ts';
import type { WebContext } from '#src/http/web/state.ts';
import { AppError } from '#src/kernel/errors.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Actor, Runtime, Work } from '#src/kernel/work.ts';
import type { LazyFederation } from '#src/sso/lazy-federation.ts';

type Handler = (ctx: WebContext) => Promise<void>;
type UserHandler = (ctx: WebContext, user: SignedIn) => Promise<void>;

/** What the routes of the web surface are made with. */
export interface Web {
  runtime: Runtime;
  forgery: Forgery;
  federation: LazyFederation;
  /** Only for people who are signed in; others are sent to do so first, and then back. */
  forUsers(handler: UserHandler): Handler;
  /** Only for super admins (specification, Roles and access); others get a 403. */
  forSuperAdmins(handler: UserHandler): Handler;
  /** Answers with a page; `notice` in the address is shown too. */
  page(ctx: WebContext, page: Page, status?: number): void;
  /** The hidden field that every form which changes something needs. */
  token(ctx: WebContext): Html;
  /** The fields of a form of ours; `forbidden` when it is not. */
  form(ctx: WebContext): Promise<Fields>;
  /** Goes on to a page of ours with GET. */
  redirect(ctx: WebContext, path: string, notice?: Notice): void;
  /** One unit of work on behalf of whoever asks. */
  act<Result>(ctx: WebContext, task: (work: Work) => Promise<Result>): Promise<Result>;
  actor(ctx: WebContext): Actor;
}

export function createWeb(runtime: Runtime, keys: WebKeys, federation: LazyFederation): Web {
  const forgery = createForgery(runtime, keys);
  const token = (ctx: WebContext) => {
    const value = forgery.token(ctx);
    return html`<input type="hidden" name="${FORGERY_FIELD}" value="${value}">`;
  };

  return {
    runtime,
    forgery,
    federation,
    token,
    forUsers,
    forSuperAdmins: (handler) =>
      forUsers(async (ctx, user) => {
        if (user.role !== 'super_admin') throw new AppError('forbidden', 'Only super admins may do this');
        await handler(ctx, user);
      }),
    page: (ctx, page, status = 200) => {
      const notice = page.notice ?? noticeOf(ctx);
      const { signedIn } = ctx.state;
      const around = { path: ctx.path, signedIn, token: signedIn ? token(ctx) : html`` };
      // The sign-out form in the header may lead to the provider.
      const leaving = signedIn?.idpLogout ? logoutTargets(runtime) : [];
      const targets = new Set([...(page.formTargets ?? []), ...leaving]);
      ctx.status = status;
      const policy = { formTargets: [...targets], scripted: page.script !== undefined };
      for (const [name, value] of Object.entries(pageHeaders(policy))) ctx.res.setHeader(name, value);
      ctx.body = layout({ ...page, notice }, around);
    },
    form: async (ctx) => {
      const fields = await readForm(ctx);
      forgery.refuse(ctx, fields);
      return fields;
    },
    redirect,
    act: (ctx, task) =>
      perform(runtime, { actor: actorOf(ctx) }, async (work) => {
        await requireUnchanged(work, ctx);
        return task(work);
      }),
    actor: actorOf,
  };
}

/** Without TLS here there is none to be demanded of a provider beside us. */
function logoutTargets({ config }: Runtime): string[] {
  return config.http.appUrl.startsWith('http:') ? ['https:', 'http:'] : ['https:'];
}

function forUsers(handler: UserHandler): Handler {
  return async (ctx) => {
    const { signedIn } = ctx.state;
    if (signedIn) await handler(ctx, signedIn);
    else askToSignIn(ctx);
  };
}

/** A change is made by whoever may make it now: they may have been suspended while it waited for its turn. */
async function requireUnchanged(work: Work, { method, state: { signedIn } }: WebContext): Promise<void> {
  if (!signedIn || method === 'GET' || method === 'HEAD') return;
  const [now] = await work.sql<{ role: string }>(
    `select u.role from sessions s join users u on u.id = s.user_id where s.id = $1 and u.suspended_at is null`,
    [signedIn.sessionId],
  );
  if (now?.role === signedIn.role) return;
  throw new AppError(
    now ? 'forbidden' : 'unauthorized',
    'You may not do this any more. Load the page again.',
  );
}

/** A page asked for is come back to; what was to be changed is not repeated. */
function askToSignIn(ctx: WebContext): void {
  if (ctx.accepts('html', 'json') === 'json') throw new AppError('unauthorized', 'Sign in first');
  const back = ctx.method === 'GET' ? `&return_to=${encodeURIComponent(ctx.url)}` : '';
  redirect(ctx, `/sessions/new?notice=sign_in_first${back}`);
}

function redirect(ctx: WebContext, path: string, notice?: Notice): void {
  const mark = path.includes('?') ? '&' : '?';
  ctx.status = 303;
  ctx.res.setHeader('Location', notice ? `${path}${mark}notice=${notice}` : path);
  ctx.body = '';
}

function noticeOf({ query }: WebContext): Notice | undefined {
  return isNotice(query.notice) ? query.notice : undefined;
}

function actorOf(ctx: WebContext): Actor {
  return {
    kind: 'web',
    userId: ctx.state.signedIn?.userId,
    ipAddress: addressOf(ctx),
    userAgent: ctx.req.headers['user-agent']?.slice(0, 500),
    requestId: ctx.state.requestId,
  };
}
