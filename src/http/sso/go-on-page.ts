import { html } from '#src/http/html.ts';
import type { Page } from '#src/http/web/layout.ts';

/** Carries a message to a service that takes it only as a form (SAML Bindings, section 3.5). */
export function goOnPage(to: URL, form: Readonly<Record<string, string>>): Page {
  const fields = Object.entries(form).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return {
    title: 'Go on to sign in',
    formTargets: [to.origin],
    body: html`<p>Your browser takes what is needed to <strong>${to.host}</strong>.</p>
<form method="post" action="${to.href}">
${fields}
<div class="actions"><button autofocus>Go on</button></div>
</form>`,
  };
}
