import type { LocalLogin } from '#src/auth/local-login.ts';
import { type Html, html } from '#src/http/html.ts';
import type { Offers } from '#src/http/sso/offer-providers.ts';
import { inputField } from '#src/http/web/fields.ts';
import type { Page, Problem } from '#src/http/web/layout.ts';

interface LoginPage {
  policy: LocalLogin;
  offers: Offers;
  token: Html;
  returnTo: string;
  email?: string | undefined;
  problem?: Problem | undefined;
}

export function loginPage({ policy, offers, token, returnTo, email, problem }: LoginPage): Page {
  const problems = problem ? [problem] : [];
  const elsewhere = offers.providers.length > 0;
  return {
    title: 'Sign in',
    problems,
    formTargets: offers.formTargets,
    body: html`${offers.unreadable && UNREADABLE}${elsewhere && buttons({ offers, token, returnTo })}${
      policy === 'nobody'
        ? !elsewhere && WITHOUT_PASSWORD
        : html`${elsewhere && html`<h2>With a password</h2>`}${form({ policy, token, returnTo, email, problems })}`
    }`,
  };
}

const WITHOUT_PASSWORD = html`<p>Signing in with a password is turned off here. Ask your administrator how to get in.</p>`;

const UNREADABLE = html`<p class="warning">Other ways to sign in cannot be offered at the moment. Tell your administrator.</p>`;

/** One for each provider; they work without scripts, and a link could be followed by anybody. */
function buttons({ offers, token, returnTo }: Pick<LoginPage, 'offers' | 'token' | 'returnTo'>): Html {
  return html`<div class="providers">
${offers.providers.map(
  ({ name, label }) => html`<form method="post" action="/auth/${name}">
${token}
<input type="hidden" name="return_to" value="${returnTo}">
<button>${label}</button>
</form>
`,
)}</div>`;
}

type Form = Omit<LoginPage, 'problem' | 'offers'> & { problems: Problem[] };

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
