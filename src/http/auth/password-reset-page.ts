import { newPasswordFields, passwordOwner } from '#src/http/auth/new-password.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';
import { RESET_MINUTES } from '#src/users/create-password-reset.ts';

interface AskForReset {
  /** Whether mail can be sent. */
  mailing: boolean;
  token: Html;
  email?: string | undefined;
  problems?: readonly Problem[] | undefined;
}

export function askForResetPage({ mailing, token, email, problems }: AskForReset): Page {
  const back = html`<a href="/sessions/new">Back to signing in</a>`;
  if (!mailing) {
    return {
      title: 'Forgotten password',
      body: html`<p>This service cannot send mail. Ask your administrator for a link with which you choose a new password; <code>financectl users reset-password</code> followed by your email prints one.</p>
<p>${back}</p>`,
    };
  }
  return {
    title: 'Forgotten password',
    problems,
    body: html`<p>You get a mail with a link. It is good for ${RESET_MINUTES} minutes and lets you choose a new password.</p>
<form class="stack" method="post" action="/password_reset">
${token}
${inputField({ name: 'email', label: 'Email', type: 'email', value: email, autocomplete: 'username', required: true, autofocus: true, problems })}
<div class="actions"><button>Send the mail</button>${back}</div>
</form>`,
  };
}

export function resetSentPage(): Page {
  return {
    title: 'Check your mail',
    body: html`<p>If somebody signs in with this address and a password, a mail is on its way there. Its link is good for ${RESET_MINUTES} minutes and works once.</p>
<p>Nothing came? Look in the spam folder and wait some minutes, then <a href="/password_reset">ask again</a>, or ask your administrator.</p>
<p><a href="/sessions/new">Back to signing in</a></p>`,
  };
}

interface ChoosePassword {
  email: string;
  /** The token of the link. */
  secret: string;
  token: Html;
  problems: readonly Problem[];
}

export function choosePasswordPage({ email, secret, token, problems }: ChoosePassword): Page {
  return {
    title: 'Choose a new password',
    problems,
    body: html`<dl class="facts">
<dt>Email</dt><dd>${email}</dd>
</dl>
<p>Saving it signs you out everywhere. Then sign in with it.</p>
<form class="stack" method="post" action="/password_reset/confirm">
${token}
<input type="hidden" name="token" value="${secret}">
${passwordOwner(email)}
${newPasswordFields(problems)}
<div class="actions"><button>Save the new password</button></div>
</form>`,
  };
}

export function deadResetLinkPage(): Page {
  return {
    title: 'This link does not work any more',
    body: html`<p>It has been used or replaced by a newer one, or is older than ${RESET_MINUTES} minutes. Your password is as it was when you last set it.</p>
<p class="actions"><a class="button" href="/password_reset">Ask for a new link</a></p>`,
  };
}
