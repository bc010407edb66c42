import { textArea } from '#src/http/admin/sso-fields.ts';
import { foreseenSection } from '#src/http/admin/sso-trial-page.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { table } from '#src/http/web/markup.ts';
import type { Identity } from '#src/sso/connector.ts';
import type { ForeseenLogin } from '#src/sso/login/foresee-login.ts';
import type { ResponseStep } from '#src/sso/saml/login/response-check.ts';

const LIST = '/admin/sso_providers';

export interface Examined {
  steps: readonly ResponseStep[];
  /** Undefined: a sign-in with it would be refused. */
  person: { identity: Identity; foreseen: ForeseenLogin } | undefined;
}

interface ExaminePage {
  name: string;
  token: Html;
  at: string | undefined;
  problems?: Problem[] | undefined;
  examined?: Examined | undefined;
}

/** Where a response is pasted, and what came of each check of the one that was. */
export function examinePage({ name, token, at, problems, examined }: ExaminePage): Page {
  return {
    title: `Examine a response of ${name}`,
    problems,
    body: html`<p><a href="${LIST}">All identity providers</a></p>
${examined && result(examined)}
<form class="stack wide" method="post" action="${LIST}/${name}/examine">${token}
${textArea({
  name: 'response',
  label: 'Response',
  value: undefined,
  rows: 10,
  hint: 'What the provider posts to our callback address: XML, or base64 as the browser shows it. It is not kept, and nobody is signed in.',
  problems,
})}
${inputField({
  name: 'at',
  label: 'When it came (optional)',
  hint: 'UTC, such as 2026-01-31T12:00:00Z, for one that is older than a few minutes. Empty: just now.',
  value: at,
  autocomplete: 'off',
  problems,
})}
<div class="actions"><button>Examine it</button></div>
</form>`,
  };
}

const RESULTS: Record<ResponseStep['status'], Html> = {
  ok: html`Passed`,
  fail: html`<strong>Failed</strong>`,
  skipped: html`Skipped`,
};

function result({ steps, person }: Examined): Html {
  return html`<p class="${person ? 'notice' : 'warning'}" role="status">${
    person ? 'A sign-in with it would go on.' : 'A sign-in with it would be refused.'
  } Nobody was signed in, and nothing was changed.</p>
${table({
  caption: 'Every check, in its order.',
  headings: ['Check', 'Result', 'What was found', 'Reason'],
  rows: steps.map(
    ({ name, status, message, reason }) => html`<tr>
<th scope="row">${name}</th>
<td>${RESULTS[status]}</td>
<td class="long">${message}</td>
<td class="technical">${reason && html`<code>${reason}</code>`}</td>
</tr>
`,
  ),
})}
${person && html`<h2>Who it would be</h2>${foreseenSection(person.identity, person.foreseen)}`}
<h2>Another one</h2>`;
}
