import type { ApiKeyRow } from '#src/auth/list-api-keys.ts';
import type { Scope } from '#src/auth/scope.ts';
import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField, selectField } from '#src/http/web/fields.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { minute, table } from '#src/http/web/markup.ts';

const SCOPE_LABELS: Record<Scope, string> = { read: 'Read only', read_write: 'Read and write' };

interface ApiKeysPage {
  keys: readonly ApiKeyRow[];
  now: Date;
  token: Html;
  /** What a refused form held. */
  fields: Fields;
  problems: readonly Problem[];
}

export function apiKeysPage(page: ApiKeysPage): Page {
  return {
    title: 'API keys',
    problems: page.problems,
    body: html`<p>Programs use a key to read and change your family’s data through the JSON API. It is sent in the header <code>X-Api-Key</code>.</p>
${page.keys.length === 0 ? html`<p>You have no keys yet.</p>` : keyTable(page)}
<h2>New key</h2>
${keyForm(page)}`,
  };
}

function keyTable({ keys, now }: ApiKeysPage): Html {
  return table({
    caption: 'Your keys, newest first. Times are UTC; the last use is exact to the minute.',
    headings: ['Name', 'State', 'Scope', 'Key', 'Created', 'Last used', 'Expires'],
    rows: keys.map(
      (key) => html`<tr>
<td class="long">${key.name}</td>
<td>${stateOf(key, now)}</td>
<td>${scopeLabel(key.scope)}</td>
<td class="when"><code>${key.display}</code></td>
<td class="when">${minute(key.createdAt)}</td>
<td class="when">${key.lastUsedAt ? minute(key.lastUsedAt) : 'Never'}</td>
<td class="when">${key.expiresAt ? minute(key.expiresAt) : 'Never'}</td>
</tr>
`,
    ),
  });
}

function stateOf({ id, name, revokedAt, expiresAt }: ApiKeyRow, now: Date): Html {
  if (revokedAt) return html`Revoked<br>${minute(revokedAt)}`;
  const link = html`<a class="button quiet" href="/settings/api_keys/${id}/revoke" aria-label="Revoke ${name}">Revoke…</a>`;
  return expiresAt && expiresAt <= now ? html`Expired<br>${link}` : link;
}

function keyForm({ token, fields, problems }: ApiKeysPage): Html {
  return html`<form class="stack" method="post" action="/settings/api_keys">
${token}
${inputField({
  name: 'name',
  label: 'Name',
  hint: 'What it is for. No two keys in force have the same.',
  value: fields.get('name') ?? '',
  autocomplete: 'off',
  required: true,
  problems,
})}
${selectField({
  name: 'scope',
  label: 'Scope',
  options: Object.entries(SCOPE_LABELS).map(([value, text]) => ({ value, text })),
  value: fields.get('scope'),
})}
${inputField({
  name: 'expires_on',
  label: 'Expires on (optional)',
  type: 'date',
  hint: 'It stops working when this day begins, UTC. Without one it works until you revoke it.',
  value: fields.get('expires_on') ?? '',
  autocomplete: 'off',
  problems,
})}
<div class="actions"><button>Create key</button></div>
</form>`;
}

interface NewKey {
  apiKey: { name: string; scope: Scope; expiresAt?: Date | null | undefined };
  key: string;
  appUrl: string;
}

/** The only page that ever shows a key. */
export function newApiKeyPage({ apiKey: { name, scope, expiresAt = null }, key, appUrl }: NewKey): Page {
  return {
    title: 'Your new API key',
    body: html`<p class="notice" role="status">Copy it now: it is shown this once and kept nowhere.</p>
<h2>Key</h2>
<code class="secret">${key}</code>
<dl class="facts">
<dt>Name</dt><dd>${name}</dd>
<dt>Scope</dt><dd>${scopeLabel(scope)}</dd>
<dt>Expires</dt><dd>${expiresAt ? html`${minute(expiresAt)} UTC` : 'Never'}</dd>
</dl>
<h2>Try it</h2>
<code class="secret">curl -H 'X-Api-Key: ${key}' '${appUrl}/api/v1/rejected_transfers'</code>
<p class="actions"><a class="button" href="/settings/api_keys">I have copied it</a></p>`,
  };
}

interface Revocation {
  apiKey: ApiKeyRow;
  token: Html;
}

export function revokeApiKeyPage({ apiKey, token }: Revocation): Page {
  return {
    title: 'Revoke this API key?',
    body: html`<p>Programs that use it are refused from their next request on. This cannot be undone.</p>
<dl class="facts">
<dt>Name</dt><dd>${apiKey.name}</dd>
<dt>Key</dt><dd><code>${apiKey.display}</code></dd>
<dt>Scope</dt><dd>${scopeLabel(apiKey.scope)}</dd>
<dt>Created</dt><dd>${minute(apiKey.createdAt)} UTC</dd>
<dt>Last used</dt><dd>${apiKey.lastUsedAt ? html`${minute(apiKey.lastUsedAt)} UTC` : 'Never'}</dd>
</dl>
<form class="actions" method="post" action="/settings/api_keys/${apiKey.id}/revoke">${token}
<button class="danger">Revoke</button>
<a class="button quiet" href="/settings/api_keys">Keep it</a>
</form>`,
  };
}

function scopeLabel(scope: string): string {
  return Object.entries(SCOPE_LABELS).find(([name]) => name === scope)?.[1] ?? scope;
}
