import type { AuditRow } from '#src/audit/audit-row.ts';
import type { AuditPage } from '#src/audit/list-audit-events.ts';
import { AUDIT_FILTERS } from '#src/http/admin/audit-query.ts';
import { EVENT_LABELS, sentenceOf } from '#src/http/admin/audit-sentences.ts';
import { withQuery } from '#src/http/admin/query.ts';
import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField, selectField } from '#src/http/web/fields.ts';
import { optionsOf } from '#src/http/web/labels.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { second, table } from '#src/http/web/markup.ts';

const PATH = '/admin/sso_audit_logs';

interface AuditLogPage {
  /** Undefined when the filter cannot be used. */
  events: AuditPage | undefined;
  fields: Fields;
  problems: Problem[];
}

export function auditPage({ events, fields, problems }: AuditLogPage): Page {
  return {
    title: 'Audit log',
    problems,
    body: html`${filterForm(fields, problems)}
${events && list(events, fields)}`,
  };
}

function filterForm(fields: Fields, problems: Problem[]): Html {
  const given = AUDIT_FILTERS.some((name) => fields.has(name));
  const input = (name: string, label: string, type: 'text' | 'date' = 'text') =>
    inputField({ name, label, type, value: fields.get(name), autocomplete: 'off', problems });
  return html`<form class="filters" method="get" action="${PATH}" role="search">
${selectField({
  name: 'event',
  label: 'Event',
  options: [{ value: '', text: 'Any' }, ...optionsOf(EVENT_LABELS)],
  value: fields.get('event'),
})}
${input('user', 'About (email or id)')}
${input('provider', 'Provider')}
${input('from', 'First day (UTC)', 'date')}
${input('to', 'Last day (UTC)', 'date')}
<div class="buttons"><button>Show</button>${given && html`<a href="${PATH}">Show all</a>`}</div>
</form>`;
}

function list({ items, next }: AuditPage, fields: Fields): Html {
  const filter = AUDIT_FILTERS.map((name) => [name, fields.get(name)] as const);
  const newest = fields.has('cursor') && html`<a href="${withQuery(PATH, filter)}">Newest</a>`;
  if (items.length === 0) return html`<p>No events match. ${newest}</p>`;
  return html`<p><a href="${withQuery(`${PATH}.csv`, filter)}" download>Download all of these as CSV</a></p>
${table({
  caption: 'Newest first. Times are UTC.',
  headings: ['Time', 'What', 'About', 'By', 'Details'],
  rows: items.map(row),
})}
<nav class="pages" aria-label="Pages">
${newest}
${next !== undefined && html`<a rel="next" href="${withQuery(PATH, [...filter, ['cursor', next]])}">Older</a>`}
</nav>`;
}

function row(event: AuditRow): Html {
  const { createdAt, eventType, userId, userEmail, ipAddress } = event;
  return html`<tr>
<td class="when">${second(createdAt)}</td>
<td class="some">${sentenceOf(event)} <code class="soft">${eventType}</code></td>
<td class="some">${person(userId, userEmail)}</td>
<td class="some">${doer(event)}${ipAddress !== null && html`<br>from ${ipAddress}`}</td>
<td class="technical">${details(event)}</td>
</tr>
`;
}

/** A user who is gone has no page any more. */
function person(id: string | null, email: string | null): Html {
  if (id === null) return html`–`;
  return email === null
    ? html`<code>${id}</code> <span class="soft">(deleted)</span>`
    : html`<a href="/admin/users/${id}">${email}</a>`;
}

function doer({ actorKind, actorId, actorEmail, metadata }: AuditRow): Html {
  const who = actorId !== null && html`${person(actorId, actorEmail)}, `;
  if (actorKind === 'system') return html`${who}the service itself`;
  if (actorKind === 'web') return who ? html`${who}in a browser` : html`somebody not signed in`;
  const { os_user: osUser } = metadata;
  return html`${who}${typeof osUser === 'string' && html`<code>${osUser}</code> `}at a terminal`;
}

/** What is looked at now and then is folded away. */
function details({ metadata, provider, userAgent, requestId }: AuditRow): Html {
  const { os_user: _, override, ...rest } = metadata;
  const facts = Object.entries({ ...(provider !== null && { provider }), ...rest });
  const technical = [
    userAgent !== null && fact('browser', userAgent),
    requestId !== null && fact('request', requestId),
  ].filter(Boolean);
  return html`${override === true && html`<strong>Override: password sign-in was off</strong>`}
${facts.length > 0 && html`<dl class="details">${facts.map(([name, value]) => fact(name.replaceAll('_', ' '), text(value)))}</dl>`}
${
  technical.length > 0 &&
  html`<details><summary>Browser and request</summary>
<dl class="details">${technical}</dl></details>`
}`;
}

function fact(name: string, value: string): Html {
  return html`<div><dt>${name}</dt> <dd>${value}</dd></div>\n`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
