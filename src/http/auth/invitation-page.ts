import { newPasswordFields, passwordOwner } from '#src/http/auth/new-password.ts';
import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import type { PendingInvitation } from '#src/users/look-up-invitation.ts';

interface InvitationPage {
  invitation: PendingInvitation;
  /** Whether it can be accepted by choosing a password. */
  withPassword: boolean;
  /** Who uses this browser now. */
  signedInAs: string | undefined;
  /** The token of the link. */
  secret: string;
  token: Html;
  /** What a refused form held. */
  fields: Fields;
  problems: readonly Problem[];
}

export function invitationPage(page: InvitationPage): Page {
  const { email, familyName } = page.invitation;
  return {
    title: 'You are invited',
    problems: page.problems,
    body: html`<dl class="facts">
<dt>Family</dt><dd>${familyName}</dd>
<dt>Your email</dt><dd>${email}</dd>
</dl>
${page.withPassword ? form(page) : WITHOUT_PASSWORD}`,
  };
}

const WITHOUT_PASSWORD = html`<p>People do not sign in with a password here. Sign in with this address through your company’s provider: that accepts the invitation.</p>
<p class="actions"><a class="button" href="/sessions/new">Sign in</a></p>`;

function form({ invitation, signedInAs, secret, token, fields, problems }: InvitationPage): Html {
  return html`
${signedInAs && html`<p class="warning">You are signed in as ${signedInAs}. Accepting signs this browser in as ${invitation.email} instead.</p>`}
<form class="stack" method="post" action="/invitation">
${token}
<input type="hidden" name="token" value="${secret}">
${passwordOwner(invitation.email)}
${inputField({ problems, name: 'first_name', label: 'First name (optional)', value: fields.get('first_name'), autocomplete: 'given-name' })}
${inputField({ problems, name: 'last_name', label: 'Last name (optional)', value: fields.get('last_name'), autocomplete: 'family-name' })}
${newPasswordFields(problems)}
<div class="actions"><button>Join and sign in</button></div>
</form>`;
}

export function deadInvitationPage(): Page {
  return {
    title: 'This invitation does not work any more',
    body: html`<p>It has been used, withdrawn or replaced by a newer one, or is older than seven days. If you have joined already, sign in. Otherwise ask whoever invited you for a new one.</p>
<p class="actions"><a class="button" href="/sessions/new">Sign in</a></p>`,
  };
}
