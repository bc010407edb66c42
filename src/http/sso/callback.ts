import { ENDED_SESSIONS } from '#src/auth/start-session.ts';
import { showTrial } from '#src/http/admin/sso-trial-page.ts';
import { letIn, wantsLogout } from '#src/http/sso/let-in.ts';
import { type Attempt, orRefuse } from '#src/http/sso/refuse-login.ts';
import { returnPath } from '#src/http/web/return-path.ts';
import { enterSession } from '#src/http/web/session.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { perform } from '#src/kernel/perform.ts';
import { tidy } from '#src/kernel/tidy.ts';
import type { Federation } from '#src/sso/federation.ts';
import { linkIdentity } from '#src/sso/identities/link-identity.ts';
import { admit } from '#src/sso/login/admit.ts';
import { rememberConfirmation } from '#src/sso/login/pending-confirmation.ts';
import { type Received, receiveIdentity, resumeLogin } from '#src/sso/login/receive-identity.ts';
import { requireUnused } from '#src/sso/login/use-once.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';

/** `GET /auth/<name>/callback`: somebody comes back from a provider. */
export async function finish(web: Web, ctx: WebContext, name: string): Promise<void> {
  const federation = await web.federation.open();
  const entry = await federation.source.lookUpByName(name);
  await finishAt(web, ctx, { federation, entry, name, path: `/auth/${name}/callback` });
}

/** `GET /auth/saml/<id>/callback`: the same, once the provider's answer has been posted there. */
export async function finishSaml(web: Web, ctx: WebContext, id: string): Promise<void> {
  const federation = await web.federation.open();
  const entry = await federation.source.lookUpById(id);
  const path = `/auth/saml/${id}/callback`;
  await finishAt(web, ctx, { federation, entry, name: entry?.name ?? id, path });
}

interface Arrival {
  federation: Federation;
  entry: ProviderEntry | undefined;
  /** Of the provider, for the record. */
  name: string;
  path: string;
}

async function finishAt(web: Web, ctx: WebContext, arrival: Arrival): Promise<void> {
  const { federation, entry, name, path } = arrival;
  const attempt: Attempt = { provider: name, method: entry?.strategy };
  await orRefuse(web, ctx, attempt, async () => {
    const login = await resumeLogin(web.runtime, {
      entry,
      browser: web.forgery.browser(ctx),
      url: callbackUrl(web, ctx, path),
    });
    const { purpose } = login.pending;
    // A trial is not a sign-in: its refusals are for the one who tries alone, and not on record.
    if (purpose === 'try') return showTrial(web, ctx, federation, login);

    const received = await receiveIdentity(federation, login);
    attempt.identity = received.identity;
    if (purpose === 'link') await connect(web, ctx, received);
    else await signIn(web, ctx, received, federation);
  });
}

/** From the configured address alone: what a request says of its host is not to be believed. */
function callbackUrl({ runtime }: Web, ctx: WebContext, path: string): URL {
  const url = new URL(runtime.config.http.appUrl + path);
  url.search = ctx.search;
  return url;
}

/** Somebody else made a user of this address, or took this identity, after both had been looked for in vain. */
const MADE_MEANWHILE = ['23505', 'validation_failed'];

type Entered = { outcome: 'entered'; session: string } | { outcome: 'asked'; token: string };

/** Everything in one unit of work; only when it is saved does the browser get its cookie. */
async function signIn(web: Web, ctx: WebContext, received: Received, federation: Federation): Promise<void> {
  const { returnTo } = received.pending;
  const idpLogout = await wantsLogout(federation, received.provider);
  const entered = await enter(web, ctx, received, idpLogout);
  if (entered.outcome === 'asked') {
    web.redirect(ctx, `/sessions/link?login=${entered.token}`);
    return;
  }
  tidy(web.runtime, ENDED_SESSIONS);
  await enterSession(ctx, entered.session);
  web.redirect(ctx, returnPath(returnTo ?? undefined));
}

async function enter(
  web: Web,
  ctx: WebContext,
  { provider, identity, pending }: Received,
  idpLogout: boolean,
): Promise<Entered> {
  const { sso, session } = web.runtime.config;
  const rules = { mode: sso.jitMode, allowedDomains: sso.allowedDomains, currency: sso.currency };
  // Whoever used this browser before has no part in it.
  const actor = { ...web.actor(ctx), userId: undefined };

  return await perform(web.runtime, { actor, retryAfter: MADE_MEANWHILE }, async (work): Promise<Entered> => {
    await requireUnused(work, provider, identity);
    const admission = await admit(work, { provider, identity, rules });
    if (admission.outcome === 'link_required') {
      const { userId } = admission;
      const confirmation = { provider: provider.id, userId, identity, returnTo: pending.returnTo };
      const browser = web.forgery.ensureBrowser(ctx);
      return { outcome: 'asked', token: await rememberConfirmation(work, { ...confirmation, browser }) };
    }
    const { user, identityId } = admission;
    const { lifetimeHours } = session;
    const entrance = { provider, tokens: identity.tokens, idpLogout, identityId, lifetimeHours };
    return { outcome: 'entered', session: await letIn(work, { userId: user.id, ...entrance }) };
  });
}

/** The account is the one that was signed in at the start, if it still is. */
async function connect(web: Web, ctx: WebContext, { provider, identity, pending }: Received): Promise<void> {
  const { userId } = pending;
  if (userId === null || ctx.state.signedIn?.userId !== userId) throw new LoginRefused('link_refused');
  await web.act(ctx, async (work) => {
    await requireUnused(work, provider, identity);
    await linkIdentity(work, { userId, provider, identity });
  });
  web.redirect(ctx, '/settings/security', 'account_connected');
}
