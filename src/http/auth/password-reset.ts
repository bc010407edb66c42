import { once } from 'node:events';
import type { Router } from '@koa/router';
import { localLogin } from '#src/auth/local-login.ts';
import { sourceOf } from '#src/http/address.ts';
import { readNewPassword } from '#src/http/auth/new-password.ts';
import { countResetRequest } from '#src/http/auth/password-reset-limit.ts';
import { mailPasswordReset } from '#src/http/auth/password-reset-mail.ts';
import {
  askForResetPage,
  choosePasswordPage,
  deadResetLinkPage,
  resetSentPage,
} from '#src/http/auth/password-reset-page.ts';
import type { Background } from '#src/http/background.ts';
import { type FormRefusal, formRefusal, problemOf, unprocessable } from '#src/http/form-refusal.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import { canSendMail } from '#src/mail/send-mail.ts';
import { requireEmail } from '#src/users/email.ts';
import { lookUpPasswordReset } from '#src/users/look-up-password-reset.ts';
import { resetPassword } from '#src/users/reset-password.ts';

const PATH = '/password_reset';

/** A new password for somebody who has forgotten theirs (decisions, section 2). */
export function passwordResetRoutes(router: Router<WebState>, web: Web, background: Background): void {
  const mailing = canSendMail(web.runtime.config);
  /** None of this exists while people do not sign in with passwords, override or not. */
  const whileOn = (handler: (ctx: WebContext) => Promise<void>) => async (ctx: WebContext) => {
    if (localLogin(web.runtime.config.auth) === 'everybody') await handler(ctx);
    else web.redirect(ctx, '/sessions/new');
  };

  router.get(
    PATH,
    whileOn(async (ctx) => web.page(ctx, askForResetPage({ mailing, token: web.token(ctx) }))),
  );
  router.post(
    PATH,
    whileOn(async (ctx) => {
      if (mailing) await ask(web, ctx, background);
      else web.redirect(ctx, PATH);
    }),
  );
  router.get(
    `${PATH}/sent`,
    whileOn(async (ctx) => web.page(ctx, resetSentPage())),
  );
  router.get(
    `${PATH}/confirm`,
    whileOn((ctx) => showChoice(web, ctx, String(ctx.query.token ?? ''))),
  );
  router.post(
    `${PATH}/confirm`,
    whileOn((ctx) => choose(web, ctx)),
  );
}

/** The answer is the same for every address and comes before anything is looked up; the rest happens after it. */
async function ask(web: Web, ctx: WebContext, background: Background): Promise<void> {
  const { runtime } = web;
  const fields = await web.form(ctx);
  const given = fields.get('email') ?? '';
  const refuse = ({ problems, status }: FormRefusal) =>
    web.page(ctx, askForResetPage({ mailing: true, token: web.token(ctx), email: given, problems }), status);

  const problems = problemOf('email', () => requireEmail(given));
  if (problems.length > 0) return refuse(unprocessable(problems));
  const email = requireEmail(given);
  try {
    const wanted = await countResetRequest(runtime, { email, source: sourceOf(ctx) });
    if (wanted) {
      const actor = web.actor(ctx);
      const { res } = ctx;
      background.run('password_reset_mail_failed', { request_id: ctx.state.requestId }, async () => {
        if (!res.closed) await once(res, 'close');
        await mailPasswordReset(runtime, actor, email);
      });
    }
  } catch (error) {
    return refuse(formRefusal(ctx, error, { rate_limit_exceeded: 'email' }));
  }
  web.redirect(ctx, `${PATH}/sent`);
}

async function showChoice(web: Web, ctx: WebContext, token: string, refusal?: FormRefusal): Promise<void> {
  const reset = await web.act(ctx, (work) => lookUpPasswordReset(work, { token }));
  if (!reset) return web.page(ctx, deadResetLinkPage(), 404);
  const { problems = [], status } = refusal ?? {};
  const page = choosePasswordPage({ email: reset.email, secret: token, token: web.token(ctx), problems });
  web.page(ctx, page, status);
}

/** Does not sign in: whoever holds the link must still know what they have just chosen. */
async function choose(web: Web, ctx: WebContext): Promise<void> {
  const fields = await web.form(ctx);
  const token = fields.get('token') ?? '';
  const { password, problems } = readNewPassword(fields);
  if (problems.length > 0) return showChoice(web, ctx, token, unprocessable(problems));
  try {
    await web.act(ctx, (work) => resetPassword(work, { token, password }));
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') {
      return web.page(ctx, deadResetLinkPage(), 404);
    }
    return showChoice(web, ctx, token, formRefusal(ctx, error, { validation_failed: 'new_password' }));
  }
  web.redirect(ctx, '/sessions/new', 'password_reset');
}
