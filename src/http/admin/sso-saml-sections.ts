import { textArea } from '#src/http/admin/sso-fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';
import { day, table } from '#src/http/web/markup.ts';
import type { CertificateFacts } from '#src/sso/providers/describe-certificate.ts';
import type { MetadataSummary } from '#src/sso/saml/metadata/describe-metadata.ts';

interface MetadataForm {
  action: string;
  token: Html;
  /** Of a new provider; undefined for one that exists. */
  start?: { name: string; preset: string } | undefined;
  url?: string | undefined;
  example?: string | undefined;
  problems: readonly Problem[] | undefined;
}

/** Where metadata is given, by URL or by paste, to be looked at before anything is saved. */
export function metadataForm({ action, token, start, url, example, problems }: MetadataForm): Html {
  return html`<h2>Read the provider's metadata</h2>
<p class="hint">It says all that SAML needs. What is found is shown first; nothing is saved by reading it.</p>
<form class="stack wide" method="post" action="${action}">${token}
${start && html`<input type="hidden" name="name" value="${start.name}"><input type="hidden" name="preset" value="${start.preset}">`}
${inputField({
  name: 'from_url',
  label: 'Address of the metadata',
  hint: `${example === undefined ? '' : `Such as ${example}. `}It is kept, and read again by itself: new certificates come without your doing.`,
  value: url,
  autocomplete: 'off',
  problems,
})}
${textArea({
  name: 'from_xml',
  label: 'Or the metadata itself (XML)',
  value: undefined,
  hint: 'Pasted from the file that the provider offers for download. It is read once.',
  problems,
})}
${inputField({
  name: 'from_entity',
  label: 'Entity ID, where the metadata holds several providers',
  autocomplete: 'off',
  problems,
})}
<div class="actions"><button>Read it</button></div>
</form>`;
}

/** What was found in metadata, above the form that saves it, which is long: `save` is a button of it. */
export function foundSection({ facts, certificates, warnings }: MetadataSummary, save: string): Html {
  return html`<h2>What the metadata says</h2>
<p class="notice" role="status">Nothing is saved yet. Compare it with what your provider shows, then save: the settings below may stay as they are.</p>
${warnings.length > 0 && html`<div class="warning">${warnings.map((warning) => html`<p>${warning}</p>`)}</div>`}
<dl class="facts">${facts.map(
    ([what, value]) => html`<dt>${capital(what)}</dt><dd>${value}</dd>
`,
  )}</dl>
${certificateTable(certificates)}
<div class="actions"><button form="settings">${save}</button></div>`;
}

export function certificateTable(certificates: readonly CertificateFacts[]): Html {
  return table({
    id: 'certificates',
    caption: 'Certificates that may sign.',
    headings: ['Subject', 'SHA-256 fingerprint', 'Ends'],
    rows: certificates.map(
      ({ subject, fingerprint, expiresAt, problem }) => html`<tr>
<th scope="row">${subject}</th>
<td class="long"><code>${fingerprint}</code></td>
<td class="when">${day(expiresAt)}${problem && html` <strong>${problem}</strong>`}</td>
</tr>
`,
    ),
  });
}

/** As it begins a line. */
export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
