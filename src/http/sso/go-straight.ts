import { localLogin } from '#src/auth/local-login.ts';
import type { Offers } from '#src/http/sso/offer-providers.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Config } from '#src/kernel/config.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/**
 * The provider that somebody who asks for the sign-in page is sent to at once; undefined: they get the page. Only when
 * it is the one way in, and the browser says that no other site made it ask.
 */
export function goStraight(
  { auth, sso }: Pick<Config, 'auth' | 'sso'>,
  { providers, unreadable }: Pick<Offers, 'providers' | 'unreadable'>,
  ctx: Pick<WebContext, 'method' | 'query' | 'req'>,
): Provider | undefined {
  const [provider, another] = providers;
  if (!sso.autoRedirect || unreadable || another || localLogin(auth) === 'everybody') return undefined;
  return isPlainVisit(ctx) && isOwnNavigation(ctx) ? provider : undefined;
}

/** Where people are sent who are to choose for themselves, after a sign-in that went no further. */
export function signInPage({ sso }: Pick<Config, 'sso'>): string {
  return sso.autoRedirect ? '/sessions/new?local=1' : '/sessions/new';
}

/** Nothing to be read on the page. "Sign in to go on" is not, unless a form was sent that must not lead elsewhere. */
function isPlainVisit({ query }: Pick<WebContext, 'query'>): boolean {
  const { local, notice, return_to: returnTo } = query;
  if (local !== undefined) return false;
  return notice === undefined || (notice === 'sign_in_first' && returnTo !== undefined);
}

/** By Fetch Metadata, which a page cannot forge: a visit by link or address, not a frame, image or guess ahead. */
function isOwnNavigation({ method, req: { headers } }: Pick<WebContext, 'method' | 'req'>): boolean {
  const site = headers['sec-fetch-site'];
  return (
    method === 'GET' &&
    (site === 'same-origin' || site === 'none') &&
    headers['sec-fetch-dest'] === 'document' &&
    headers['sec-purpose'] === undefined
  );
}
