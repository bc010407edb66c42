import { type Html, html } from '#src/http/html.ts';
import type { ConnectedAccounts } from '#src/http/settings/connected-accounts.ts';
import { minute, table } from '#src/http/web/markup.ts';
import { hasOtherWayIn } from '#src/sso/identities/has-other-way-in.ts';
import type { IdentityRow } from '#src/sso/identities/list-identities.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

interface Section extends ConnectedAccounts {
  token: Html;
}

/** Where else somebody can sign in, and where they could. Undefined when there is nothing to say. */
export function connectedAccounts(section: Section): Html | undefined {
  const { identities, offers, token } = section;
  const taken = new Set(identities.map(({ provider }) => provider));
  const others = offers.providers.filter(({ id }) => !taken.has(id));
  if (identities.length + others.length === 0) return undefined;
  return html`<h2>Connected accounts</h2>
${identities.length > 0 ? list(section) : html`<p>None yet. Connect one to sign in with it.</p>`}
${others.map((provider) => connectForm(provider, token))}`;
}

function list({ identities, ways, labels, token }: Section): Html {
  const isOnlyWay = ({ id }: IdentityRow) => !hasOtherWayIn(identities, id, ways);
  return html`${table({
    caption: 'Accounts elsewhere that open this one. Times are UTC.',
    headings: ['Sign-in', 'Action', 'Account there', 'Connected', 'Last used'],
    rows: identities.map((identity) => {
      const label = labels.get(identity.provider) ?? identity.provider;
      return html`<tr>
<td>${label}</td>
<td>${isOnlyWay(identity) ? 'Only way in' : disconnectForm(identity, label, token)}</td>
<td>${identity.email ?? identity.subject}</td>
<td class="when">${minute(identity.createdAt)}</td>
<td class="when">${minute(identity.lastUsedAt)}</td>
</tr>
`;
    }),
    id: 'connected',
  })}
${identities.some(isOnlyWay) && html`<p>The only way to sign in to this account cannot be disconnected. Connect another one first.</p>`}`;
}

function disconnectForm({ id, email, subject }: IdentityRow, label: string, token: Html): Html {
  return html`<form class="inline" method="post" action="/settings/identities/${id}/disconnect">${token}<button class="quiet" aria-label="Disconnect ${label}, ${email ?? subject}">Disconnect</button></form>`;
}

function connectForm({ name, label }: Provider, token: Html): Html {
  return html`<form class="actions" method="post" action="/auth/${name}">${token}
<input type="hidden" name="purpose" value="link">
<button class="quiet">Connect: ${label}</button>
</form>
`;
}
