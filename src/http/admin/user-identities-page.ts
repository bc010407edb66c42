import { type Html, html } from '#src/http/html.ts';
import { countOf, minute, table } from '#src/http/web/markup.ts';
import type { IdentityRow } from '#src/sso/identities/list-identities.ts';

export interface UserIdentities {
  userId: string;
  identities: readonly IdentityRow[];
  nameOf: (provider: string) => string;
  token: Html;
}

/** Where else a user signs in, with what an administrator can do about it. */
export function userIdentities({ userId, identities, nameOf, token }: UserIdentities): Html {
  if (identities.length === 0) return html`<p>Not connected with an identity provider.</p>`;
  const path = `/admin/users/${userId}`;
  return html`${table({
    id: 'identities-caption',
    caption: `Connected with ${countOf(identities.length, 'account')}. Times are UTC.`,
    headings: ['Provider', 'Identity', 'Email there', 'Connected', 'Last used', 'Disconnect'],
    rows: identities.map(
      ({ id, provider, subject, email, createdAt, lastUsedAt }) => html`<tr>
<td>${nameOf(provider)}</td>
<td class="some">${subject}</td>
<td>${email ?? '–'}</td>
<td class="when">${minute(createdAt)}</td>
<td class="when">${minute(lastUsedAt)}</td>
<td><form method="post" action="${path}/identities/${id}/disconnect">${token}<button class="quiet" aria-label="Disconnect from ${nameOf(provider)}">Disconnect</button></form></td>
</tr>
`,
    ),
  })}
<form class="buttons" method="post" action="${path}/sync_roles">${token}
<button class="quiet">Sync roles from SSO</button><span class="soft">Gives the role that the provider’s groups map to.</span>
</form>`;
}
