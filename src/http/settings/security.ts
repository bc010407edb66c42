import type { Router } from '@koa/router';
import { changePassword, whyPasswordStays } from '#src/auth/change-password.ts';
import { endSession } from '#src/auth/end-session.ts';
import { listSessions } from '#src/auth/list-sessions.ts';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import { sourceOf } from '#src/http/address.ts';
import { readNewPassword } from '#src/http/auth/new-password.ts';
import { type FormRefusal, formRefusal, unprocessable } from '#src/http/form-refusal.ts';
import { connectedAccountRoutes, readConnectedAccounts } from '#src/http/settings/connected-accounts.ts';
import { securityPage } from '#src/http/settings/security-page.ts';
import { withId } from '#src/http/settings/with-id.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { revokeSessions } from '#src/users/revoke-sessions.ts';

const PATH = '/settings/security';

/** A signed-in person's own account: who they are, their password, their other sign-ins, their sessions. */
export function securityRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    PATH,
    web.forUsers((ctx, user) => show(web, ctx, user)),
  );
  connectedAccountRoutes(router, web);
  router.post(
    '/settings/password',
    web.forUsers(async (ctx, user) => {
      const refusal = await change(web, ctx, user);
      if (refusal) await show(web, ctx, user, refusal);
      else web.redirect(ctx, PATH, 'password_changed');
    }),
  );
  router.post(
    '/settings/sessions/:id/end',
    withId(web, async (ctx, { userId }, sessionId) => {
      await web.form(ctx);
      await web.act(ctx, (work) => endSession(work, { userId, sessionId, reason: 'revoked' }));
      web.redirect(ctx, PATH, 'session_ended');
    }),
  );
  router.post(
    '/settings/sessions/end_others',
    web.forUsers(async (ctx, { userId, sessionId }) => {
      await web.form(ctx);
      await web.act(ctx, (work) => revokeSessions(work, { user: userId, exceptSessionId: sessionId }));
      web.redirect(ctx, PATH, 'other_sessions_ended');
    }),
  );
}

async function show(web: Web, ctx: WebContext, user: SignedIn, refusal?: FormRefusal): Promise<void> {
  const { idleMinutes } = web.runtime.config.session;
  const sessions = await web.act(ctx, (work) => listSessions(work, { userId: user.userId, idleMinutes }));
  const page = securityPage({
    user,
    sessions,
    accounts: await readConnectedAccounts(web, ctx, user),
    idleMinutes,
    passwordStays: whyPasswordStays(web.runtime, user),
    token: web.token(ctx),
    problems: refusal?.problems ?? [],
  });
  web.page(ctx, page, refusal?.status);
}

/** Undefined when the password has been changed. */
async function change(web: Web, ctx: WebContext, owner: SignedIn): Promise<FormRefusal | undefined> {
  const fields = await web.form(ctx);
  const { password, problems } = readNewPassword(fields);
  if (problems.length > 0) return unprocessable(problems);
  const current = fields.get('current_password') ?? '';
  try {
    await changePassword(web.runtime, web.actor(ctx), { owner, current, password, source: sourceOf(ctx) });
    return undefined;
  } catch (error) {
    return formRefusal(ctx, error, {
      invalid_credentials: 'current_password',
      rate_limit_exceeded: 'current_password',
      validation_failed: 'new_password',
    });
  }
}
