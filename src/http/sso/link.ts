import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { provePassword } from '#src/auth/prove-password.ts';
import { sourceOf } from '#src/http/address.ts';
import { statusOf } from '#src/http/error-response.ts';
import { sayWhenToReturn } from '#src/http/rate-limit.ts';
import { signInPage } from '#src/http/sso/go-straight.ts';
import { letIn, wantsLogout } from '#src/http/sso/let-in.ts';
import { linkPage } from '#src/http/sso/link-page.ts';
import { type Attempt, orRefuse } from '#src/http/sso/refuse-login.ts';
import type { Problem } from '#src/http/web/layout.ts';
import { returnPath } from '#src/http/web/return-path.ts';
import { enterSession } from '#src/http/web/session.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Federation } from '#src/sso/federation.ts';
import { linkIdentity } from '#src/sso/identities/link-identity.ts';
import {
  type Confirmation,
  lookUpConfirmation,
  takeConfirmation,
} from '#src/sso/login/pending-confirmation.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { requireUsable } from '#src/sso/providers/find-usable-provider.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** A confirmation that waits, and the account it is about. */
interface Waiting {
  login: string;
  browser: string;
  confirmation: Confirmation;
  provider: Provider;
  email: string;
  hasPassword: boolean;
}

/** `GET /sessions/link`: asks for the password of the account that an identity is to be connected with. */
export async function showLink(web: Web, ctx: WebContext): Promise<void> {
  const federation = await web.federation.open();
  const { login } = ctx.query;
  await orRefuse(web, ctx, {}, async () => {
    const waiting = await lookUp(web, ctx, federation, typeof login === 'string' ? login : '');
    if (waiting) show(web, ctx, waiting);
    else web.redirect(ctx, '/sessions/new', 'link_expired');
  });
}

/** `POST /sessions/link`: connects and signs in, when the password is right. */
export async function confirmLink(web: Web, ctx: WebContext): Promise<void> {
  const fields = await web.form(ctx);
  const federation = await web.federation.open();
  const attempt: Attempt = {};
  await orRefuse(web, ctx, attempt, async () => {
    const waiting = await lookUp(web, ctx, federation, fields.get('login') ?? '');
    if (!waiting?.hasPassword) throw new LoginRefused('link_refused');
    Object.assign(attempt, describe(waiting));

    const digest = await prove(web, ctx, waiting, fields.get('password') ?? '');
    if (digest === undefined) return;
    const idpLogout = await wantsLogout(federation, waiting.provider);
    const session = await connect(web, ctx, waiting, { digest, idpLogout });
    await enterSession(ctx, session);
    web.redirect(ctx, returnPath(waiting.confirmation.returnTo ?? undefined));
  });
}

async function lookUp(
  web: Web,
  ctx: WebContext,
  { runtime, source }: Federation,
  login: string,
): Promise<Waiting | undefined> {
  const browser = web.forgery.browser(ctx) ?? '';
  const confirmation = await lookUpConfirmation(runtime, { token: login, browser });
  if (!confirmation) return undefined;
  const provider = requireUsable(await source.lookUpById(confirmation.provider));
  const { rows } = await runtime.pool.query<{ email: string; has_password: boolean }>(
    'select email, password_digest is not null as has_password from users where id = $1',
    [confirmation.userId],
  );
  const { email = '', has_password: hasPassword = false } = rows[0] ?? {};
  return { login, browser, confirmation, provider, email, hasPassword };
}

function describe({ provider, confirmation }: Waiting): Attempt {
  return { provider: provider.name, method: provider.strategy, identity: confirmation.identity };
}

/** Undefined when it is not the password, or too many others were tried; the page has been answered then. */
async function prove(
  web: Web,
  ctx: WebContext,
  waiting: Waiting,
  password: string,
): Promise<string | undefined> {
  const { userId } = waiting.confirmation;
  const given = { userId, email: waiting.email, password, source: sourceOf(ctx) };
  const outcome = await provePassword(web.runtime, given);
  if (outcome.proven) return outcome.digest;

  if (outcome.reason === 'wrong_password') {
    await recordWrong(web, ctx, waiting, outcome.reason);
    show(web, ctx, waiting, { status: 422, message: 'The password is wrong' });
    return undefined;
  }
  if (outcome.first) await recordWrong(web, ctx, waiting, outcome.reason);
  sayWhenToReturn(ctx, outcome.error);
  show(web, ctx, waiting, { status: statusOf(outcome.error), message: outcome.error.message });
  return undefined;
}

async function recordWrong(
  web: Web,
  ctx: WebContext,
  { provider, confirmation, email }: Waiting,
  reason: string,
): Promise<void> {
  await web.act(ctx, async (work) =>
    recordAuditEvent(work, 'login_failed', {
      userId: confirmation.userId,
      provider: provider.name,
      metadata: { method: provider.strategy, reason, email, subject: confirmation.identity.subject },
    }),
  );
}

/** Everything in one unit of work: the confirmation is used up, the identity connected, its owner signed in. */
async function connect(
  web: Web,
  ctx: WebContext,
  { login, browser, provider }: Waiting,
  { digest, idpLogout }: { digest: string; idpLogout: boolean },
): Promise<string> {
  const { lifetimeHours } = web.runtime.config.session;
  const actor = { ...web.actor(ctx), userId: undefined };
  return await perform(web.runtime, { actor }, async (work) => {
    const confirmation = await takeConfirmation(work, { token: login, browser });
    if (!confirmation) throw new LoginRefused('link_refused');
    const { userId, identity } = confirmation;
    // The password was right a moment ago; it must still be the one.
    const unchanged = await work.sql(
      'select 1 as one from users where id = $1 and password_digest = $2 for no key update',
      [userId, digest],
    );
    if (unchanged.length === 0) throw new LoginRefused('link_refused', undefined, userId);

    const theirs = { ...work, actor: { ...work.actor, userId } };
    const identityId = await linkIdentity(theirs, { userId, provider, identity });
    const { tokens } = identity;
    return letIn(work, { userId, identityId, provider, tokens, idpLogout, lifetimeHours });
  });
}

function show(
  web: Web,
  ctx: WebContext,
  { provider, email, hasPassword, login }: Waiting,
  problem?: { status: number; message: string },
): void {
  const problems: Problem[] = problem ? [{ message: problem.message, field: 'password' }] : [];
  const page = linkPage({
    label: provider.label,
    email,
    hasPassword,
    login,
    back: signInPage(web.runtime.config),
    token: web.token(ctx),
    problems,
  });
  web.page(ctx, page, problem?.status);
}
