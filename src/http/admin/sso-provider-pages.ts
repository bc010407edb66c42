import { checkbox } from '#src/http/admin/sso-fields.ts';
import { type Html, html } from '#src/http/html.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { countOf, table } from '#src/http/web/markup.ts';
import type { ProviderCheck, ProviderReport } from '#src/sso/checks/provider-check.ts';
import type { ProviderDeparture } from '#src/sso/providers/delete-provider.ts';

const LIST = '/admin/sso_providers';
const BACK = html`<p><a href="${LIST}">All identity providers</a></p>`;

/** A change that cannot be made here, whatever is typed. */
export function noChangePage({ title, problems }: { title: string; problems: Problem[] }): Page {
  return { title, problems, body: BACK };
}

interface DisablePage {
  name: string;
  /** Who could not sign in any more. */
  stranded: readonly string[];
  /** Whether it may be done all the same. */
  mayForce: boolean;
  token: Html;
  problems: Problem[];
}

/** Before somebody's only way in is closed. */
export function disablePage({ name, stranded, mayForce, token, problems }: DisablePage): Page {
  return {
    title: `Disable ${name}`,
    problems,
    body: html`${BACK}
${whoIsLeft(stranded)}
${
  mayForce &&
  html`<form class="actions" method="post" action="${LIST}/${name}/disable">${token}<input type="hidden" name="force" value="true">
<button class="danger">Disable it anyway</button><a class="button quiet" href="${LIST}">Cancel</a></form>`
}`,
  };
}

interface DeletePage {
  departure: ProviderDeparture;
  token: Html;
  problems?: Problem[] | undefined;
}

export function deleteProviderPage({ departure, token, problems }: DeletePage): Page {
  const { name, linked, stranded } = departure;
  return {
    title: `Delete ${name}`,
    problems,
    body: html`${BACK}
<div class="warning">
<p>This cannot be undone. The provider goes with its settings and secrets, and ${countOf(linked, 'user is', 'users are')} disconnected from it.</p>
<p>To hide it for a while, disable it instead.</p>
</div>
${whoIsLeft(stranded)}
<form class="stack" method="post" action="${LIST}/${name}/delete">${token}
${checkbox({
  name: 'force',
  label: 'Delete it even when it is the only way in for somebody',
  isChecked: false,
})}
<div class="actions"><button class="danger">Delete for good</button><a class="button quiet" href="${LIST}">Cancel</a></div>
</form>`,
  };
}

function whoIsLeft(stranded: readonly string[]): Html | false {
  return (
    stranded.length > 0 &&
    html`<p>Without it they cannot sign in any more, unless they get a password or another provider first:</p>
<ul>${stranded.map((email) => html`<li>${email}</li>`)}</ul>`
  );
}

const RESULTS: Record<ProviderCheck['status'], string> = { ok: 'Passed', warn: 'Warning', fail: 'Failed' };

/** What a provider says of itself. */
export function providerTestPage(name: string, report: ProviderReport, token: Html): Page {
  const again = html`<form class="actions" method="post" action="${LIST}/${name}/test">${token}<button>Test again</button></form>`;
  return {
    title: `Test of ${name}`,
    body: html`${BACK}
<p class="${report.ok ? 'notice' : 'warning'}" role="status">${verdict(report)} It took ${report.milliseconds} ms. Nobody was signed in.</p>
${
  report.issuerToCopy !== undefined &&
  html`<p>The provider calls itself:</p><code class="secret">${report.issuerToCopy}</code>`
}
${table({
  caption: 'What was looked at.',
  headings: ['Check', 'Result', 'What was found', 'HTTP status', 'Duration'],
  rows: report.checks.map(
    ({ name: check, status, message, httpStatus, milliseconds }) => html`<tr>
<th scope="row">${check.replaceAll('_', ' ')}</th>
<td>${status === 'ok' ? RESULTS.ok : html`<strong>${RESULTS[status]}</strong>`}</td>
<td class="long">${message}</td>
<td>${httpStatus ?? '–'}</td>
<td class="when">${milliseconds === undefined ? '–' : `${milliseconds} ms`}</td>
</tr>
`,
  ),
})}
${again}`,
  };
}

function verdict({ ok, checks }: ProviderReport): string {
  if (!ok) return 'Signing in would fail.';
  return checks.some(({ status }) => status === 'warn')
    ? 'Signing in should work; look at the warnings.'
    : 'All is as it should be.';
}
