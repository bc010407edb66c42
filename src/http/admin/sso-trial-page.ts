import { type Html, html } from '#src/http/html.ts';
import { ROLE_LABELS } from '#src/http/web/labels.ts';
import type { Page } from '#src/http/web/layout.ts';
import { table } from '#src/http/web/markup.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Identity } from '#src/sso/connector.ts';
import type { Federation } from '#src/sso/federation.ts';
import { type ForeseenAccount, type ForeseenLogin, foreseeLogin } from '#src/sso/login/foresee-login.ts';
import { type Received, type ResumedLogin, receiveIdentity } from '#src/sso/login/receive-identity.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/**
 * What a real round trip to a provider brought, and what a sign-in would have done with it. Nobody is signed in, and
 * nothing is saved. Only for the super admin who began it.
 */
export async function showTrial(
  web: Web,
  ctx: WebContext,
  federation: Federation,
  login: ResumedLogin,
): Promise<void> {
  const { signedIn } = ctx.state;
  if (signedIn?.role !== 'super_admin' || signedIn.userId !== login.pending.userId) {
    throw new AppError('forbidden', 'Only the super admin who tried this sign-in may see what came of it');
  }
  const received = await receive(web, ctx, federation, login);
  if (!received) return;
  const { provider, identity } = received;
  const { jitMode: mode, allowedDomains } = web.runtime.config.sso;
  const rules = { mode, allowedDomains };
  const foreseen = await web.act(ctx, (work) => foreseeLogin(work, { provider, identity, rules }));
  web.page(ctx, trialPage(provider, identity, foreseen));
}

/** Undefined when a sign-in would have been refused; the page has been answered then. */
async function receive(
  web: Web,
  ctx: WebContext,
  federation: Federation,
  login: ResumedLogin,
): Promise<Received | undefined> {
  try {
    return await receiveIdentity(federation, login);
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    const { name } = login.entry;
    const { reason, detail } = error;
    web.runtime.log.info(
      { request_id: ctx.state.requestId, provider: name, reason, detail },
      'trial_refused',
    );
    const isEditable = web.runtime.config.sso.source === 'database';
    web.page(ctx, refusedPage({ name, error, isEditable, reference: ctx.state.requestId }), 409);
    return undefined;
  }
}

interface RefusedPage {
  name: string;
  error: LoginRefused;
  isEditable: boolean;
  /** Of the line in the log. */
  reference: string;
}

function refusedPage({ name, error, isEditable, reference }: RefusedPage): Page {
  const { message, reason, detail } = error;
  return {
    title: `Trial of ${name}`,
    problems: [{ message }],
    body: html`<p><a href="/admin/sso_providers">All identity providers</a></p>
<p>A sign-in would have been refused. Nobody was signed in, and nothing was changed.</p>
<dl class="facts">
<dt>Reason</dt><dd><code>${reason}</code></dd>
${detail !== undefined && html`<dt>Detail</dt><dd><code>${detail}</code></dd>`}
<dt>Reference in the log</dt><dd><code>${reference}</code></dd>
</dl>
${isEditable && html`<p><a href="/admin/sso_providers/${name}/edit">Settings of ${name}</a></p>`}`,
  };
}

function trialPage(provider: Provider, identity: Identity, foreseen: ForeseenLogin): Page {
  return {
    title: `Trial of ${provider.name}`,
    body: html`<p><a href="/admin/sso_providers">All identity providers</a></p>
<p class="notice" role="status">The provider works. Nobody was signed in, and nothing was changed.</p>
${foreseenSection(identity, foreseen)}`,
  };
}

/** Who somebody is, and what a sign-in would do. */
export function foreseenSection(identity: Identity, foreseen: ForeseenLogin): Html {
  const { subject, issuer, email, emailVerified } = identity;
  const { groups, role } = foreseen;
  return html`<dl class="facts">
<dt>What would happen</dt><dd>${describeAccount(foreseen.account)}</dd>
<dt>Role</dt><dd>${role === undefined ? 'Is left alone' : ROLE_LABELS[role]}: ${whyRole(foreseen)}</dd>
<dt>Identity</dt><dd>${subject}</dd>
<dt>Issuer</dt><dd>${issuer ?? '–'}</dd>
<dt>Email</dt><dd>${email ?? 'Not sent'} (${VERIFIED[String(emailVerified)]})</dd>
<dt>Name</dt><dd>${[identity.firstName, identity.lastName].filter(Boolean).join(' ') || '–'}</dd>
<dt>Groups</dt><dd>${groups === null ? 'None were sent' : groups.join(', ') || 'None'}</dd>
</dl>
<h2>Rules</h2>
${ruleTable(foreseen)}
<h2>Claims</h2>
<pre class="secret" tabindex="0" aria-label="Claims">${JSON.stringify(identity.attributes, null, 2)}</pre>`;
}

function whyRole({ decision: { kind }, account }: ForeseenLogin): string {
  const isInvited = 'invited' in account && account.invited;
  return kind !== 'matched' && isInvited ? 'the invitation decides, because no rule does' : WHY_ROLE[kind];
}

const WHY_ROLE: Record<ForeseenLogin['decision']['kind'], string> = {
  matched: 'the highest of all rules that match',
  no_match: 'the default role, because no rule matches; the founder of a family is at least its admin',
  no_rules: 'there are no rules',
};

const VERIFIED: Readonly<Record<string, string>> = {
  true: 'verified',
  false: 'not verified',
  null: 'the provider does not say whether it is verified',
};

function describeAccount(account: ForeseenAccount): string {
  if ('reason' in account) return `Is refused: ${new LoginRefused(account.reason).message}`;
  if ('invited' in account)
    return `Makes an account for ${account.email}${account.invited ? ', who is invited' : ''}`;
  if (account.outcome === 'sign_in') return `Signs in as ${account.email}, who is connected already`;
  return account.hasPassword
    ? `Asks for the password of ${account.email}, to connect that account`
    : `Nothing: ${account.email} has no password to confirm the connection with, and makes it under Security`;
}

function ruleTable({ decision, groups }: ForeseenLogin): Html {
  if (decision.rules.length === 0) return html`<p>There are no rules.</p>`;
  return table({
    caption: 'Every rule, and whether it matches. Upper and lower case count.',
    headings: ['Rule', 'Result', 'Why', 'Role'],
    rows: decision.rules.map(
      ({ rule, role, matched, because }) => html`<tr>
<th scope="row">${rule}</th>
<td>${matched ? html`<strong>Matches</strong>` : 'No match'}</td>
<td class="long">${because}${!matched && differsInCase(because, groups) && ' (only upper and lower case differ)'}</td>
<td>${ROLE_LABELS[role]}</td>
</tr>
`,
    ),
  });
}

function differsInCase(because: string, groups: readonly string[] | null): boolean {
  const wanted = /^is not in group "(.*)"$/s.exec(because)?.[1]?.toLowerCase();
  return (groups ?? []).some((group) => group.toLowerCase() === wanted);
}
