import type { Router } from '@koa/router';
import { requireField } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import { offerProviders } from '#src/http/sso/offer-providers.ts';
import type { Page } from '#src/http/web/layout.ts';
import { countOf, minute, table } from '#src/http/web/markup.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { type BlockedIdentity, listBlockedIdentities } from '#src/sso/identities/list-blocked-identities.ts';
import { unblockIdentity } from '#src/sso/identities/unblock-identity.ts';

const PATH = '/admin/users/blocked';

/** The identities of deleted users, and lifting that. */
export function blockedIdentityRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    PATH,
    web.forSuperAdmins(async (ctx) => {
      const blocked = await web.act(ctx, listBlockedIdentities);
      web.page(ctx, blockedPage({ blocked, nameOf: await providerNames(web), token: web.token(ctx) }));
    }),
  );
  router.post(
    `${PATH}/unblock`,
    web.forSuperAdmins((ctx) => unblock(web, ctx)),
  );
}

async function unblock(web: Web, ctx: WebContext): Promise<void> {
  const fields = await web.form(ctx);
  const [provider, subject] = [requireField(fields, 'provider'), requireField(fields, 'subject')];
  const nameOf = await providerNames(web);
  await web.act(ctx, (work) => unblockIdentity(work, { provider, name: nameOf(provider), subject }));
  web.redirect(ctx, PATH, 'identity_unblocked');
}

/** By id; a provider that is gone has left its id. */
async function providerNames(web: Web): Promise<(provider: string) => string> {
  const { entries } = await offerProviders(web);
  return (provider) => entries.find(({ id }) => id === provider)?.name ?? provider;
}

interface BlockedPage {
  blocked: readonly BlockedIdentity[];
  nameOf: (provider: string) => string;
  token: Html;
}

function blockedPage({ blocked, nameOf, token }: BlockedPage): Page {
  return {
    title: 'Blocked identities',
    body: html`<p><a href="/admin/users">All users</a></p>
<p>Deleting a user blocks what they signed in with at identity providers, so that it makes no account again. Unblocked, it may, under the rules for newcomers.</p>
${
  blocked.length === 0
    ? html`<p>No identity is blocked.</p>`
    : table({
        caption: `${countOf(blocked.length, 'identity', 'identities')}, the latest first. Times are UTC.`,
        headings: ['Email', 'Provider', 'Identity', 'Blocked', 'Unblock'],
        rows: blocked.map(
          ({ provider, subject, email, createdAt }) => html`<tr>
<th scope="row">${email ?? '–'}</th>
<td>${nameOf(provider)}</td>
<td class="some">${subject}</td>
<td class="when">${minute(createdAt)}</td>
<td><form method="post" action="${PATH}/unblock">${token}<input type="hidden" name="provider" value="${provider}"><input type="hidden" name="subject" value="${subject}"><button class="quiet" aria-label="Unblock ${email ?? subject}">Unblock</button></form></td>
</tr>
`,
        ),
      })
}`,
  };
}
