import type { Router } from '@koa/router';
import { whyPasswordStays } from '#src/auth/change-password.ts';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import { withId } from '#src/http/settings/with-id.ts';
import { type Offers, offerProviders } from '#src/http/sso/offer-providers.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import type { WaysIn } from '#src/sso/identities/has-other-way-in.ts';
import { type IdentityRow, listIdentities } from '#src/sso/identities/list-identities.ts';
import { unlinkIdentity } from '#src/sso/identities/unlink-identity.ts';

export interface ConnectedAccounts {
  identities: readonly IdentityRow[];
  offers: Offers;
  ways: WaysIn;
  /** By id of the provider, those that are off included. */
  labels: ReadonlyMap<string, string>;
}

/** Disconnecting; connecting begins like every sign-in elsewhere, with `POST /auth/<name>`. */
export function connectedAccountRoutes(router: Router<WebState>, web: Web): void {
  router.post(
    '/settings/identities/:id/disconnect',
    withId(web, async (ctx, user, identityId) => {
      await web.form(ctx);
      const { userId, sessionId } = user;
      const { ways, names } = await readWays(web, user);
      const nameOf = (provider: string) => names.get(provider) ?? provider;
      await web.act(ctx, (work) => unlinkIdentity(work, { userId, sessionId, identityId, nameOf, ...ways }));
      web.redirect(ctx, '/settings/security', 'account_disconnected');
    }),
  );
}

export async function readConnectedAccounts(
  web: Web,
  ctx: WebContext,
  user: SignedIn,
): Promise<ConnectedAccounts> {
  const identities = await web.act(ctx, (work) => listIdentities(work, user.userId));
  const { offers, ways, labels } = await readWays(web, user);
  return { identities, offers, ways, labels };
}

async function readWays(web: Web, user: SignedIn) {
  const offers = await offerProviders(web);
  const ways: WaysIn = {
    passwordWorks: whyPasswordStays(web.runtime, user) === undefined,
    usableProviders: offers.providers.map(({ id }) => id),
  };
  const { entries } = offers;
  return {
    offers,
    ways,
    names: new Map(entries.map(({ id, name }) => [id, name])),
    labels: new Map(entries.map(({ id, label }) => [id, label])),
  };
}
