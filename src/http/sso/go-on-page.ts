import { GO_ON_PATH } from '#src/http/assets.ts';
import { html } from '#src/http/html.ts';
import type { Page } from '#src/http/web/layout.ts';

/** Carries a message to a service that takes it only as a form (SAML Bindings, section 3.5): by itself, or by its button. */
export function goOnPage(to: URL, form: Readonly<Record<string, string>>): Page {
  const fields = Object.entries(form).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return {
    title: `Go on to ${to.host}`,
    // The service may send people on to others of its own.
    formTargets: to.protocol === 'http:' ? ['https:', to.origin] : ['https:'],
    script: GO_ON_PATH,
    body: html`<p>Your browser takes what is needed to <strong>${to.host}</strong>.</p>
<form id="go-on" method="post" action="${to.href}">
${fields}
<div class="actions"><button autofocus>Go on</button></div>
</form>`,
  };
}
