import type { LocalLogin } from '#src/auth/local-login.ts';
import { type Html, html } from '#src/http/html.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';

interface LoginPage {
  policy: LocalLogin;
  token: Html;
  returnTo: string;
  email?: string | undefined;
  problem?: Problem | undefined;
}

export function loginPage({ policy, token, returnTo, email, problem }: LoginPage): Page {
  const problems = problem ? [problem] : [];
  return {
    title: 'Sign in',
    problems,
    body: policy === 'nobody' ? WITHOUT_PASSWORD : form({ policy, token, returnTo, email, problems }),
  };
}

const WITHOUT_PASSWORD = html`<p>Signing in with a password is turned off here. Ask your administrator how to get in.</p>`;

type Form = Omit<LoginPage, 'problem'> & { problems: Problem[] };

function form({ policy, token, returnTo, email, problems }: Form): Html {
  return html`
${policy === 'super_admins' && html`<p class="warning">Only super admins can sign in with a password here, and each time is recorded.</p>`}
<form class="stack" method="post" action="/sessions">
${token}
<input type="hidden" name="return_to" value="${returnTo}">
${inputField({ name: 'email', label: 'Email', type: 'email', value: email, autocomplete: 'username', required: true, autofocus: email === undefined, problems })}
${inputField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true, autofocus: email !== undefined, problems })}
<div class="actions"><button>Sign in</button>${policy === 'everybody' && html`<a href="/password_reset">Forgot your password?</a>`}</div>
</form>`;
}
