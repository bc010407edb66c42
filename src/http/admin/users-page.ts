import { familyField } from '#src/http/admin/family-field.ts';
import { withQuery } from '#src/http/admin/query.ts';
import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField, selectField } from '#src/http/web/fields.ts';
import { METHOD_LABELS, methodsOf, optionsOf, ROLE_LABELS, STATUS_LABELS } from '#src/http/web/labels.ts';
import type { Problem, Page as WebPage } from '#src/http/web/layout.ts';
import { countOf, day, minute, table } from '#src/http/web/markup.ts';
import { type Page, totalPages } from '#src/kernel/page.ts';
import type { UserRow } from '#src/users/user-row.ts';

/** The fields of the form. */
export const USER_FILTERS = ['search', 'role', 'status', 'family', 'method'] as const;

interface UsersPage {
  /** Undefined when the filter cannot be used. */
  users: Page<UserRow> | undefined;
  families: readonly { id: string; name: string }[];
  /** Identity providers. */
  providers: readonly { id: string; name: string }[];
  fields: Fields;
  problems: Problem[] | undefined;
}

export function usersPage({ users, families, providers, fields, problems }: UsersPage): WebPage {
  return {
    title: 'Users',
    problems,
    body: html`<p><a href="/admin/users/invitations">Invite somebody, or see who is invited</a> · <a href="/admin/users/blocked">Blocked identities</a></p>
${filterForm({ families, providers, fields, problems })}
${users && list(users, fields, providers)}`,
  };
}

function filterForm({ families, providers, fields, problems }: Omit<UsersPage, 'users'>): Html {
  const choice = (name: string, label: string, labels: Readonly<Record<string, string>>) =>
    selectField({
      name,
      label,
      options: [{ value: '', text: 'Any' }, ...optionsOf(labels)],
      value: fields.get(name),
    });
  return html`<form class="filters" method="get" action="/admin/users" role="search">
${inputField({ name: 'search', label: 'Email or name', type: 'search', value: fields.get('search'), problems })}
${choice('role', 'Role', ROLE_LABELS)}
${choice('status', 'Status', STATUS_LABELS)}
${familyField({ families, value: fields.get('family'), any: 'Any', problems })}
${choice('method', 'Sign-in method', { ...METHOD_LABELS, ...Object.fromEntries(providers.map(({ name }) => [name, name])) })}
<div class="buttons"><button>Show</button>${fields.size > 0 && html`<a href="/admin/users">Show all</a>`}</div>
</form>`;
}

function list(users: Page<UserRow>, fields: Fields, providers: UsersPage['providers']): Html {
  const nameOf = (provider: string) => providers.find(({ id }) => id === provider)?.name ?? provider;
  const pages = totalPages(users);
  if (users.items.length === 0) {
    return pages === 0
      ? html`<p>No users match.</p>`
      : html`<p>There is no page ${users.page}. <a href="${pageLink(fields, 1)}">Go to the first</a></p>`;
  }
  return html`${table({
    caption: `${countOf(users.totalCount, 'user')}, by email. Times are UTC.`,
    headings: ['Email', 'Name', 'Family', 'Role', 'Status', 'Sign-in', 'Last sign-in', 'Created'],
    rows: users.items.map((user) => row(user, nameOf)),
  })}
${pages > 1 && pager(users, fields)}`;
}

function row(user: UserRow, nameOf: (provider: string) => string): Html {
  const { id, email, firstName, lastName, familyId, familyName, role, suspendedAt } = user;
  return html`<tr>
<th scope="row"><a href="/admin/users/${id}">${email}</a></th>
<td>${[firstName, lastName].filter(Boolean).join(' ') || '–'}</td>
<td><a href="/admin/users?family=${familyId}">${familyName}</a></td>
<td>${ROLE_LABELS[role]}</td>
<td>${suspendedAt ? html`<strong>${STATUS_LABELS.suspended}</strong>` : STATUS_LABELS.active}</td>
<td>${methodsOf(user, nameOf)}</td>
<td class="when">${minute(user.lastSignInAt)}</td>
<td class="when">${day(user.createdAt)}</td>
</tr>
`;
}

function pager(users: Page<UserRow>, fields: Fields): Html {
  const last = totalPages(users);
  return html`<nav class="pages" aria-label="Pages">
${users.page > 1 && html`<a rel="prev" href="${pageLink(fields, users.page - 1)}">Previous</a>`}
<span>Page ${users.page} of ${last}</span>
${users.page < last && html`<a rel="next" href="${pageLink(fields, users.page + 1)}">Next</a>`}
</nav>`;
}

/** The same filter on another page. */
function pageLink(fields: Fields, page: number): string {
  return withQuery('/admin/users', [
    ...USER_FILTERS.map((name) => [name, fields.get(name)] as const),
    ['page', page === 1 ? undefined : String(page)],
  ]);
}
