import { readForm, requireField } from '#src/http/fields.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';
import { perform } from '#src/kernel/perform.ts';
import { tidy } from '#src/kernel/tidy.ts';
import type { LogoutNotice } from '#src/sso/connector.ts';
import { backchannelConnectorFor } from '#src/sso/connector-for.ts';
import { EXPIRED_PROOFS } from '#src/sso/login/use-once.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { endProviderSessions, type ProviderEnding } from '#src/sso/logout/end-provider-sessions.ts';

/**
 * `POST /auth/<name>/backchannel_logout`: a provider tells that somebody left (OpenID Connect Back-Channel Logout 1.0,
 * section 2.5). Its signature is the proof; a provider that is turned off may still end what began through it.
 */
export async function endByProvider(web: Web, ctx: WebContext, name: string): Promise<void> {
  ctx.res.setHeader('Cache-Control', 'no-store');
  const { source, access } = await web.federation.open();
  const provider = (await source.lookUpByName(name))?.provider;
  const connector = provider && backchannelConnectorFor(provider, access);
  if (!provider || !connector) throw notFound('Identity provider');

  try {
    const notice = await connector.verifyLogoutToken(requireField(await readForm(ctx), 'logout_token'));
    const actor = { ...web.actor(ctx), userId: undefined };
    await perform(web.runtime, { actor }, (work) => endProviderSessions(work, provider, toEnding(notice)));
    tidy(web.runtime, EXPIRED_PROOFS);
    ctx.status = 200;
    ctx.body = '';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { requestId } = ctx.state;
    const reason = error instanceof LoginRefused ? error.reason : error.code;
    web.runtime.log.warn({ request_id: requestId, provider: name, reason }, 'logout_token_refused');
    answerInvalid(ctx, error.message);
  }
}

function toEnding({ subject, sid, tokenId, expiresAt }: LogoutNotice): ProviderEnding {
  const proof = { id: tokenId, expiresAt: expiresAt.toISOString() };
  return { by: 'backchannel', subject, sids: sid === null ? [] : [sid], proof };
}

function isRefusal(error: unknown): error is LoginRefused | AppError {
  const malformed = ['validation_failed', 'unsupported_media_type'];
  return error instanceof LoginRefused || (error instanceof AppError && malformed.includes(error.code));
}

/** Section 2.8. */
function answerInvalid(ctx: WebContext, description: string): void {
  ctx.status = 400;
  ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify({ error: 'invalid_request', error_description: description });
}
