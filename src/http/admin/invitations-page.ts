import { familyField } from '#src/http/admin/family-field.ts';
import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField, selectField } from '#src/http/web/fields.ts';
import { optionsOf, ROLE_LABELS } from '#src/http/web/labels.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { countOf, minute, table } from '#src/http/web/markup.ts';
import type { InvitationRow } from '#src/users/list-invitations.ts';

interface InvitationsPage {
  invitations: readonly InvitationRow[];
  families: readonly { id: string; name: string }[];
  token: Html;
  /** What a refused form held. */
  fields?: Fields | undefined;
  problems?: Problem[] | undefined;
  /** A link that no mail brings. */
  handOver?: { email: string; link: string } | undefined;
}

export function invitationsPage(page: InvitationsPage): Page {
  const { invitations, token, handOver, problems } = page;
  return {
    title: 'Invitations',
    problems,
    body: html`<p><a href="/admin/users">All users</a></p>
${handOver && linkToHandOver(handOver)}
${invitations.length === 0 ? html`<p>Nobody is invited at the moment.</p>` : list(invitations, token)}
<h2>Invite somebody</h2>
${inviteForm(page)}`,
  };
}

function linkToHandOver({ email, link }: { email: string; link: string }): Html {
  return html`<div class="notice" role="status">
<p>${email} is invited, but no mail was sent. Give them this link yourself; it is shown only now and works once, for seven days:</p>
<code class="secret">${link}</code>
</div>`;
}

function list(invitations: readonly InvitationRow[], token: Html): Html {
  return table({
    caption: `${countOf(invitations.length, 'invitation')} waiting to be accepted, by email. Times are UTC.`,
    headings: ['Email', 'Family', 'Role', 'Invited', 'By', 'Valid until', 'Withdraw'],
    rows: invitations.map(
      ({ id, email, familyName, role, inviterEmail, createdAt, expiresAt, isExpired }) => html`<tr>
<th scope="row">${email}</th>
<td>${familyName}</td>
<td>${ROLE_LABELS[role]}</td>
<td class="when">${minute(createdAt)}</td>
<td>${inviterEmail ?? '–'}</td>
<td class="when">${minute(expiresAt)}${isExpired && html` <strong>Expired</strong>`}</td>
<td><form method="post" action="/admin/users/invitations/${id}/withdraw">${token}<button class="quiet" aria-label="Withdraw the invitation of ${email}">Withdraw</button></form></td>
</tr>
`,
    ),
  });
}

function inviteForm({ families, token, fields, problems }: InvitationsPage): Html {
  return html`<form class="stack" method="post" action="/admin/users/invitations">${token}
${inputField({
  name: 'email',
  label: 'Email',
  type: 'email',
  hint: 'An invitation that is waiting for the same address is replaced.',
  value: fields?.get('email'),
  autocomplete: 'off',
  required: true,
  problems,
})}
${familyField({ families, value: fields?.get('family'), problems })}
${selectField({ name: 'role', label: 'Role', options: optionsOf(ROLE_LABELS), value: fields?.get('role') ?? 'member' })}
<div class="actions"><button>Invite</button></div>
</form>`;
}
