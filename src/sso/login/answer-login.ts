import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { CallbackRequest } from '#src/sso/connector.ts';
import { connectorFor } from '#src/sso/connector-for.ts';
import { checkSamlResponse } from '#src/sso/connectors/saml.ts';
import type { Federation } from '#src/sso/federation.ts';
import { askedAt } from '#src/sso/login/asked-at.ts';
import {
  claimPendingLogin,
  keepLoginAnswer,
  type LoginAnswer,
  rememberLogin,
} from '#src/sso/login/pending-login.ts';
import { type ResumedLogin, receiveIdentity } from '#src/sso/login/receive-identity.ts';
import { wasUsed } from '#src/sso/login/use-once.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { requireUsable } from '#src/sso/providers/find-usable-provider.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';

export interface PostedAnswer {
  entry: ProviderEntry;
  callback: CallbackRequest;
  /** The `RelayState` that came along; empty when there is none. */
  relayState: string;
  /** For an answer that nobody asked for: what the browser's cookie holds from now on. */
  ensureBrowser: () => string;
  /** For the same: where to go on; a path of this service. */
  returnTo: string;
}

/**
 * Proves an answer that a provider makes a browser post here, and keeps who it is. The post comes from the provider's
 * site, so the cookie that would show which browser it is does not come along; the next request shows it. Answers with
 * the state that this request needs. Throws `LoginRefused`.
 */
export async function answerLogin(federation: Federation, posted: PostedAnswer): Promise<string> {
  const { entry, callback, relayState: state } = posted;
  const { runtime } = federation;
  const pending = await claimPendingLogin(runtime, { state, provider: entry.id });
  if (!pending) return await answerUnasked(federation, posted);

  const answer = await prove(federation, { pending, entry, state, callback });
  const next = await keepLoginAnswer(runtime, state, answer);
  if (next === undefined) throw new LoginRefused('state_mismatch');
  return next;
}

/** What goes wrong in a trial is for the one who tries, whom only the next request shows. */
async function prove(federation: Federation, login: ResumedLogin): Promise<LoginAnswer> {
  try {
    const { identity } = await receiveIdentity(federation, login);
    return { identity };
  } catch (error) {
    if (!(error instanceof LoginRefused) || login.pending.purpose !== 'try') throw error;
    const { reason, detail } = error;
    return { refusal: { reason, detail } };
  }
}

/** A sign-in that began at the provider, where its connector allows that: from here on it is like one that began here. */
async function answerUnasked(federation: Federation, posted: PostedAnswer): Promise<string> {
  const { runtime, access } = federation;
  const { entry, callback, relayState, ensureBrowser, returnTo } = posted;
  // What looks like a state of ours was one: it is used up, late, or another provider's.
  if (tokenDigest(relayState)) {
    throw new LoginRefused((await isReplay(federation, posted)) ? 'assertion_replayed' : 'state_mismatch');
  }
  const provider = requireUsable(entry);
  const redirectUri = callback.url.href;
  const login = { state: '', redirectUri, secrets: {} };
  const identity = await connectorFor(provider, access).handleCallback(callback, login);
  const state = newToken();
  await rememberLogin(
    runtime,
    { state, browser: ensureBrowser() },
    {
      provider: provider.id,
      purpose: 'login',
      userId: null,
      redirectUri,
      secrets: {},
      askedAt: askedAt(provider),
      returnTo,
      answer: { identity },
    },
  );
  return state;
}

/** Whether somebody has signed in with this answer already; of what the provider has not signed, nothing is known. */
async function isReplay(
  { runtime, access }: Federation,
  { entry, callback }: PostedAnswer,
): Promise<boolean> {
  const { provider, enabled } = entry;
  const message = callback.form?.SAMLResponse;
  if (!enabled || provider?.strategy !== 'saml' || message === undefined) return false;
  const posted = { message, acsUrl: callback.url.href, answers: 'anything', thorough: false } as const;
  try {
    const { identity } = await checkSamlResponse(provider, access, posted);
    return identity?.assertion !== undefined && (await wasUsed(runtime, provider.id, identity.assertion));
  } catch (error) {
    if (error instanceof LoginRefused) return false;
    throw error;
  }
}
