import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { html } from '#src/http/html.ts';
import { signInPage } from '#src/http/sso/go-straight.ts';
import type { Page } from '#src/http/web/layout.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import type { Identity } from '#src/sso/connector.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';

/** What is known of a sign-in that fails. */
export interface Attempt {
  /** Name of the provider; undefined when nothing says which. */
  provider?: string | undefined;
  /** Protocol of the provider. */
  method?: string | undefined;
  /** Who the provider says it was. */
  identity?: Identity | undefined;
}

/** Runs a step of a sign-in; its refusal is recorded, once, and told. Anything else is thrown on. */
export async function orRefuse(
  web: Web,
  ctx: WebContext,
  attempt: Attempt,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    await recordRefusal(web, ctx, attempt, error);
    web.page(ctx, refusalPage(web, ctx, error), statusOf(error));
  }
}

/** In a unit of work of its own, since the one of the sign-in is undone. */
async function recordRefusal(
  web: Web,
  ctx: WebContext,
  { provider, method, identity }: Attempt,
  { reason, detail, userId }: LoginRefused,
): Promise<void> {
  const { requestId } = ctx.state;
  web.runtime.log.warn({ request_id: requestId, provider, reason, detail }, 'login_refused');
  await web.act(ctx, async (work) =>
    recordAuditEvent(work, 'login_failed', {
      userId,
      provider,
      metadata: {
        ...(method !== undefined && { method }),
        reason,
        ...(detail !== undefined && { detail }),
        ...(identity && { subject: identity.subject, email: identity.email }),
      },
    }),
  );
}

/** The status of a refusal: what the provider did wrong is not the fault of who asked. */
export function statusOf({ reason }: LoginRefused): number {
  if (reason === 'provider_disabled' || reason === 'provider_misconfigured') return 403;
  return /^(provider|discovery|keys|metadata)_/.test(reason) ? 502 : 403;
}

function refusalPage({ runtime }: Web, { state }: WebContext, { message }: LoginRefused): Page {
  const [path, text] = state.signedIn
    ? ['/settings/security', 'Back to Security']
    : [signInPage(runtime.config), 'Back to the sign-in page'];
  return {
    title: 'Signing in did not work',
    body: html`<p>${message}</p>
<p class="soft">When you ask for help, quote the reference <code>${state.requestId}</code></p>
<p><a href="${path}">${text}</a></p>`,
  };
}
