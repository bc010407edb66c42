import { type Fields, readForm, requireField } from '#src/http/fields.ts';
import { orRefuse } from '#src/http/sso/refuse-login.ts';
import { takeTurn } from '#src/http/sso/take-turn.ts';
import { returnPath } from '#src/http/web/return-path.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';
import { tidy } from '#src/kernel/tidy.ts';
import { answerLogin } from '#src/sso/login/answer-login.ts';
import { EXPIRED_PROOFS } from '#src/sso/login/use-once.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';

/**
 * `POST /auth/saml/<id>/callback`: a provider's answer (SAML Bindings, section 3.5). The browser that brings it is sent
 * on to `GET` of the same address, a request of its own that has its cookies.
 */
export async function receiveAnswer(web: Web, ctx: WebContext, id: string): Promise<void> {
  const federation = await web.federation.open();
  const entry = await federation.source.lookUpById(id);
  if (entry?.strategy !== 'saml') throw notFound('Identity provider');
  tidy(web.runtime, EXPIRED_PROOFS);

  const path = `/auth/saml/${entry.id}/callback`;
  await orRefuse(web, ctx, { provider: entry.name, method: entry.strategy }, async () => {
    const form = await readAnswer(ctx);
    const relayState = form.get('RelayState') ?? '';
    const answer = {
      entry,
      callback: { url: new URL(web.runtime.config.http.appUrl + path), form: Object.fromEntries(form) },
      relayState,
      ensureBrowser: () => web.forgery.ensureBrowser(ctx),
      returnTo: returnPath(relayState),
    };
    const state = await takeTurn(ctx, () => answerLogin(federation, answer));
    web.redirect(ctx, `${path}?state=${state}`);
  });
}

/** A form that lacks what it is for, or has it twice, is a sign-in that failed; anything else is no form. */
async function readAnswer(ctx: WebContext): Promise<Fields> {
  try {
    const form = await readForm(ctx);
    requireField(form, 'SAMLResponse');
    return form;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    throw new LoginRefused('callback_invalid');
  }
}
