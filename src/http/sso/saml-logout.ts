import { readForm } from '#src/http/fields.ts';
import { showAnswer, showRefusal } from '#src/http/sso/saml-logout-page.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';
import { perform } from '#src/kernel/perform.ts';
import { tidy } from '#src/kernel/tidy.ts';
import { EXPIRED_PROOFS } from '#src/sso/login/use-once.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { endProviderSessions } from '#src/sso/logout/end-provider-sessions.ts';
import { takePendingLogout } from '#src/sso/logout/pending-logout.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { type LogoutEnvelope, openForm, openQuery } from '#src/sso/saml/logout/open-envelope.ts';
import {
  answerLogoutRequest,
  type LogoutExchange,
  receiveLogoutRequest,
  receiveLogoutResponse,
} from '#src/sso/saml/logout/receive-logout.ts';

/**
 * `GET` and `POST /auth/saml/<id>/logout`: single logout (SAML Profiles, section 4.4). A provider wants sessions to
 * end, or answers to our own wish. Its signature is the proof; which browser brings the message does not matter, and a
 * provider that is turned off may still end what began through it.
 */
export async function receiveLogout(web: Web, ctx: WebContext, id: string): Promise<void> {
  const { source, access } = await web.federation.open();
  const provider = (await source.lookUpById(id))?.provider;
  if (provider?.strategy !== 'saml') throw notFound('Identity provider');

  try {
    const { appUrl } = web.runtime.config.http;
    const exchange = { provider, access, appUrl, envelope: await openEnvelope(ctx) };
    if (exchange.envelope.kind === 'SAMLRequest') await endSessions(web, ctx, exchange);
    else await hearAnswer(web, ctx, exchange);
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    noteRefusal(web, ctx, provider, error);
    showRefusal(web, ctx, error);
  }
}

function noteRefusal(web: Web, ctx: WebContext, { name }: SamlProvider, refusal: LoginRefused): void {
  const { reason, detail } = refusal;
  const { requestId } = ctx.state;
  web.runtime.log.warn({ request_id: requestId, provider: name, reason, detail }, 'logout_refused');
}

async function openEnvelope(ctx: WebContext): Promise<LogoutEnvelope> {
  if (ctx.method !== 'POST') return openQuery(ctx.querystring);
  try {
    return openForm(await readForm(ctx));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    throw new LoginRefused('logout_message_invalid', 'form');
  }
}

async function endSessions(web: Web, ctx: WebContext, exchange: LogoutExchange): Promise<void> {
  const { id, party, ...ending } = await receiveLogoutRequest(exchange);
  const actor = { ...web.actor(ctx), userId: undefined };
  await perform(web.runtime, { actor }, (work) =>
    endProviderSessions(work, exchange.provider, { by: 'saml_logout', ...ending }),
  );
  tidy(web.runtime, EXPIRED_PROOFS);
  showAnswer(ctx, await answerLogoutRequest(exchange, { id, party }));
}

/** Whatever it says, nothing changes: the session here ended before the provider was asked. */
async function hearAnswer(web: Web, ctx: WebContext, exchange: LogoutExchange): Promise<void> {
  const pending = await takePendingLogout(web.runtime, exchange.envelope.relayState ?? '');
  if (pending?.provider !== exchange.provider.id) throw new LoginRefused('state_mismatch');
  const confirmed = await isConfirmed(web, ctx, exchange, pending.requestId);
  web.redirect(ctx, '/sessions/new', confirmed ? 'signed_out' : 'signed_out_here');
}

/** An answer that proves nothing, such as one that is not signed, confirms nothing: no reason to alarm who has left. */
async function isConfirmed(
  web: Web,
  ctx: WebContext,
  exchange: LogoutExchange,
  requestId: string,
): Promise<boolean> {
  try {
    return (await receiveLogoutResponse(exchange, requestId)).confirmed;
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    noteRefusal(web, ctx, exchange.provider, error);
    return false;
  }
}
