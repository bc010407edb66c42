import type { SessionRow } from '#src/auth/list-sessions.ts';
import { userIdentities } from '#src/http/admin/user-identities-page.ts';
import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField, selectField } from '#src/http/web/fields.ts';
import { methodsOf, optionsOf, ROLE_LABELS, STATUS_LABELS } from '#src/http/web/labels.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { countOf, minute, table } from '#src/http/web/markup.ts';
import type { IdentityRow } from '#src/sso/identities/list-identities.ts';
import type { UserRow } from '#src/users/user-row.ts';

interface UserPage {
  user: UserRow;
  sessions: readonly SessionRow[];
  identities: readonly IdentityRow[];
  /** The name of an identity provider. */
  nameOf: (provider: string) => string;
  /** Whether it is the one who looks. */
  isSelf: boolean;
  token: Html;
  /** What a refused form held. */
  fields: Fields | undefined;
  problems: Problem[] | undefined;
}

export function userPage(page: UserPage): Page {
  const { user, problems, identities, nameOf, token } = page;
  return {
    title: user.email,
    problems,
    body: html`${facts(page)}
<p><a href="/admin/sso_audit_logs?user=${user.id}">What the audit log says about this user</a></p>
<h2 id="sessions">Sessions</h2>
${sessionList(page)}
<h2>Connected accounts</h2>
${userIdentities({ userId: user.id, identities, nameOf, token })}
<h2>Role</h2>
${roleForm(page)}
<h2>Access</h2>
${user.suspendedAt ? reactivateForm(page) : suspendForm(page)}
<h2>Delete</h2>
${
  page.isSelf
    ? html`<p>This is you. Only another super admin can delete you.</p>`
    : html`<p>Deleting cannot be undone. The next page says what goes along.</p>
<p class="actions"><a class="button danger" href="/admin/users/${user.id}/delete">Delete this user…</a></p>`
}`,
  };
}

function facts({ user, isSelf, nameOf }: UserPage): Html {
  const { suspendedAt } = user;
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ');
  return html`<dl class="facts">
<dt>Name</dt><dd>${name || '–'}${isSelf && ' (you)'}</dd>
<dt>Family</dt><dd><a href="/admin/users?family=${user.familyId}">${user.familyName}</a></dd>
<dt>Role</dt><dd>${ROLE_LABELS[user.role]}</dd>
<dt>Status</dt><dd>${suspendedAt ? html`<strong>${STATUS_LABELS.suspended}</strong> since ${minute(suspendedAt)} UTC` : STATUS_LABELS.active}</dd>
<dt>Sign-in method</dt><dd>${methodsOf(user, nameOf)}</dd>
<dt>Last sign-in</dt><dd>${user.lastSignInAt ? html`${minute(user.lastSignInAt)} UTC` : 'None on record'}</dd>
<dt>API keys in force</dt><dd>${user.apiKeys}</dd>
<dt>Created</dt><dd>${minute(user.createdAt)} UTC</dd>
<dt>Id</dt><dd><code>${user.id}</code></dd>
</dl>`;
}

function sessionList({ user, sessions, token, isSelf }: UserPage): Html {
  if (sessions.length === 0) return html`<p>Not signed in anywhere.</p>`;
  return html`${table({
    caption: `Signed in with ${countOf(sessions.length, 'session')}, last used first. Times are UTC.`,
    headings: ['Address', 'Browser', 'Signed in', 'Last seen'],
    rows: sessions.map(
      (session) => html`<tr>
<td>${session.ipAddress ?? '–'}</td>
<td class="long">${session.userAgent ?? '–'}</td>
<td class="when">${minute(session.createdAt)}</td>
<td class="when">${minute(session.lastSeenAt)}</td>
</tr>
`,
    ),
  })}
<form class="buttons" method="post" action="/admin/users/${user.id}/end_sessions">${token}
<button class="quiet">End all sessions</button>${isSelf && html`<span class="soft">This one too: you will have to sign in again.</span>`}
</form>`;
}

function roleForm({ user, token, fields, isSelf, problems }: UserPage): Html {
  return html`<form class="stack" method="post" action="/admin/users/${user.id}/role">${token}
${selectField({ name: 'role', label: 'Role', options: optionsOf(ROLE_LABELS), value: fields?.get('role') ?? user.role })}
${inputField({
  name: 'role_reason',
  label: 'Reason (optional)',
  hint: `Kept in the audit log.${isSelf ? ' With another role you leave these pages.' : ''}`,
  value: fields?.get('role_reason'),
  autocomplete: 'off',
  problems,
})}
<div class="actions"><button>Save the role</button></div>
</form>`;
}

function suspendForm({ user, token, fields, isSelf, problems }: UserPage): Html {
  return html`<p>Suspending ends all sessions at once and refuses sign-ins and API keys until somebody reactivates the user.${isSelf && ' This is you.'}</p>
<form class="stack" method="post" action="/admin/users/${user.id}/suspend">${token}
${inputField({
  name: 'reason',
  label: 'Reason (optional)',
  hint: 'Kept in the audit log.',
  value: fields?.get('reason'),
  autocomplete: 'off',
  problems,
})}
<div class="actions"><button class="danger">Suspend</button></div>
</form>`;
}

function reactivateForm({ user, token }: UserPage): Html {
  return html`<p>Reactivating lets the user sign in again, and their API keys work again. Sessions that have ended stay ended.</p>
<form class="actions" method="post" action="/admin/users/${user.id}/reactivate">${token}
<button>Reactivate</button>
</form>`;
}
