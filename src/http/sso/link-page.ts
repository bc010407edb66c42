import { type Html, html } from '#src/http/html.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';

interface LinkPage {
  /** Text of the provider's button. */
  label: string;
  /** Of the account. */
  email: string;
  hasPassword: boolean;
  /** The token of what waits. */
  login: string;
  /** Of the page to sign in in another way. */
  back: string;
  token: Html;
  problems: readonly Problem[];
}

/** Asks whose account it is: an email alone opens nothing. */
export function linkPage({ label, email, hasPassword, login, back, token, problems }: LinkPage): Page {
  return {
    title: 'Connect your account',
    problems,
    body: html`<p>There already is an account for <strong>${masked(email)}</strong>, and “${label}” is not connected with it yet.</p>
${hasPassword ? form({ login, token, problems }) : WITHOUT_PASSWORD}
<p><a href="${back}">Back to the sign-in page</a></p>`,
  };
}

const WITHOUT_PASSWORD = html`<p>This account has no password that could confirm it is yours. Sign in the way you usually do, then connect the other one under Security.</p>`;

function form({ login, token, problems }: Pick<LinkPage, 'login' | 'token' | 'problems'>): Html {
  return html`<p>Confirm with the password of that account that it is yours. From then on both ways open it.</p>
<form class="stack" method="post" action="/sessions/link">
${token}
<input type="hidden" name="login" value="${login}">
${inputField({ name: 'password', label: 'Password of your account', type: 'password', autocomplete: 'current-password', required: true, autofocus: true, problems })}
<div class="actions"><button>Connect and sign in</button></div>
</form>`;
}

/** Enough for its owner to know it: `a•••@example.com`. */
function masked(email: string): string {
  return `${email.slice(0, 1)}•••${email.slice(email.lastIndexOf('@'))}`;
}
