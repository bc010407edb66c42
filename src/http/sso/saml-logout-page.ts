import { html } from '#src/http/html.ts';
import { goOnPage } from '#src/http/sso/go-on-page.ts';
import { signInPage } from '#src/http/sso/go-straight.ts';
import { statusOf } from '#src/http/sso/refuse-login.ts';
import { bareLayout, type Page } from '#src/http/web/layout.ts';
import { pageHeaders } from '#src/http/web/page-headers.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import type { Departure } from '#src/sso/connector.ts';
import type { LoginRefused } from '#src/sso/login-refused.ts';

/** Sends what has been done back to the provider, or says it where the provider wants to hear nothing. */
export function showAnswer(ctx: WebContext, departure: Departure | undefined): void {
  if (!departure) {
    showFramed(ctx, { title: 'Signed out', body: html`<p>You are signed out.</p>` });
  } else if (departure.form) {
    showFramed(ctx, goOnPage(departure.redirectTo, departure.form));
  } else {
    ctx.status = 303;
    ctx.res.setHeader('Location', departure.redirectTo.href);
    ctx.body = '';
  }
}

/** Says what was wrong, and that nothing has changed. */
export function showRefusal({ runtime }: Web, ctx: WebContext, refusal: LoginRefused): void {
  ctx.status = statusOf(refusal);
  showFramed(ctx, {
    title: 'Signing out was not confirmed',
    body: html`<p>A message of the identity provider about signing out was refused: it ended no session here, and confirms none to have ended there.</p>
<p>${refusal.message}</p>
<p>If you began on a page of this service, you are signed out here; sign out at the identity provider too, or close the browser. If you began there, you may still be signed in here: <a href="/settings/security">sign out here too</a>.</p>
<p class="soft">When you ask for help, quote the reference <code>${ctx.state.requestId}</code>, which is in the server's log</p>
<p><a href="${signInPage(runtime.config)}">Back to the sign-in page</a></p>`,
  });
}

/** Providers load this address in a frame of theirs; so it shows nothing of who is signed in, and no form of ours. */
function showFramed(ctx: WebContext, page: Page): void {
  const { formTargets = [], script } = page;
  const headers = pageHeaders({ formTargets, scripted: script !== undefined, framed: true });
  for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
  ctx.body = bareLayout(page);
}
