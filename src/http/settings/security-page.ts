import type { SessionRow } from '#src/auth/list-sessions.ts';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import { newPasswordFields, passwordOwner } from '#src/http/auth/new-password.ts';
import { type Html, html } from '#src/http/html.ts';
import { browserName } from '#src/http/settings/browser-name.ts';
import type { ConnectedAccounts } from '#src/http/settings/connected-accounts.ts';
import { connectedAccounts } from '#src/http/settings/connected-accounts-page.ts';
import { inputField } from '#src/http/web/fields.ts';
import { ROLE_LABELS } from '#src/http/web/labels.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { minute, table } from '#src/http/web/markup.ts';

interface SecurityPage {
  user: SignedIn;
  sessions: readonly SessionRow[];
  idleMinutes: number;
  /** Why there is no form for another password. */
  passwordStays: keyof typeof WHY_NOT | undefined;
  accounts: ConnectedAccounts;
  token: Html;
  problems: readonly Problem[];
}

export function securityPage(page: SecurityPage): Page {
  const { user, passwordStays, accounts, token, problems } = page;
  return {
    title: 'Security',
    problems,
    formTargets: accounts.offers.formTargets,
    body: html`<dl class="facts">
<dt>Email</dt><dd>${user.email}</dd>
<dt>Name</dt><dd>${user.name ?? '–'}</dd>
<dt>Role</dt><dd>${ROLE_LABELS[user.role]}</dd>
</dl>
<h2>Password</h2>
${passwordStays ? WHY_NOT[passwordStays] : passwordForm(page)}
${connectedAccounts({ ...accounts, token })}
<h2>Sessions</h2>
${sessionList(page)}`,
  };
}

const WHY_NOT = {
  no_password: html`<p>You sign in without a password, so there is none to change.</p>`,
  local_login_disabled: html`<p>Signing in with a password is turned off, so yours cannot be used or changed here.</p>`,
};

function passwordForm({ user, token, problems }: SecurityPage): Html {
  const current = {
    name: 'current_password',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    problems,
  } as const;
  return html`<p>A new password signs you out everywhere else.</p>
<form class="stack" method="post" action="/settings/password">
${token}
${passwordOwner(user.email)}
${inputField(current)}
${newPasswordFields(problems)}
<div class="actions"><button>Change password</button></div>
</form>`;
}

function sessionList({ user, sessions, idleMinutes, token }: SecurityPage): Html {
  const others = sessions.some(({ id }) => id !== user.sessionId);
  return html`${table({
    caption: `Where you are signed in, last used first. Times are UTC. A session that is not used for ${span(idleMinutes)} ends by itself.`,
    headings: ['Browser', 'Action', 'Address', 'Signed in', 'Last seen', 'Ends at the latest'],
    rows: sessions.map((session) => sessionLine(session, session.id === user.sessionId, token)),
  })}
${
  others &&
  html`<form class="actions" method="post" action="/settings/sessions/end_others">${token}
<button class="quiet">Sign out everywhere else</button>
</form>`
}`;
}

function sessionLine(session: SessionRow, isThis: boolean, token: Html): Html {
  const name = browserName(session.userAgent);
  return html`<tr>
<td>${name}</td>
<td>${
    isThis
      ? html`<strong>This session</strong>`
      : html`<form class="inline" method="post" action="/settings/sessions/${session.id}/end">${token}<button class="quiet" aria-label="End the session of ${name}, last seen ${session.lastSeenAt.toISOString().slice(0, 16)}">End</button></form>`
  }</td>
<td>${session.ipAddress ?? '–'}</td>
<td class="when">${minute(session.createdAt)}</td>
<td class="when">${minute(session.lastSeenAt)}</td>
<td class="when">${minute(session.expiresAt)}</td>
</tr>
`;
}

function span(minutes: number): string {
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`;
}
