import { notFound } from '#src/kernel/errors.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { CallbackRequest, Identity } from '#src/sso/connector.ts';
import { connectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import { askedAt } from '#src/sso/login/asked-at.ts';
import { type PendingLogin, takePendingLogin } from '#src/sso/login/pending-login.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { requireUsable } from '#src/sso/providers/find-usable-provider.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';

export interface Callback extends CallbackRequest {
  /** The provider that the path names; undefined when there is none. */
  entry: ProviderEntry | undefined;
  /** What the browser's cookie holds; undefined when it has none. */
  browser: string | undefined;
}

/** A login that comes back, and cannot come back again. */
export interface ResumedLogin {
  pending: PendingLogin;
  entry: ProviderEntry;
  state: string;
  callback: CallbackRequest;
}

export interface Received {
  provider: Provider;
  identity: Identity;
  pending: PendingLogin;
}

/**
 * Takes the login that comes back, and with it what it is for; asks nobody anything. Throws `LoginRefused` unless this
 * browser has started one that has not been finished, and `not_found` for an unknown provider.
 */
export async function resumeLogin(runtime: Runtime, callback: Callback): Promise<ResumedLogin> {
  const { browser, entry } = callback;
  const state = callback.url.searchParams.get('state') ?? '';
  const pending = browser === undefined ? undefined : await takePendingLogin(runtime, { state, browser });
  // Renamed or deleted since.
  if (!entry) throw pending ? new LoginRefused('provider_disabled') : notFound('Identity provider');
  if (!pending) throw new LoginRefused('state_mismatch');
  return { pending, entry, state, callback };
}

/**
 * Who it is, proven by the protocol of the provider, which must be the one that was asked and still be enabled; at once
 * where that has been proven already. Throws `LoginRefused`.
 */
export async function receiveIdentity(
  { access }: Pick<Federation, 'access'>,
  { pending, entry, state, callback }: ResumedLogin,
): Promise<Received> {
  if (entry.id !== pending.provider) throw new LoginRefused('state_mismatch');
  const provider = requireUsable(entry);
  if (askedAt(provider) !== pending.askedAt) throw new LoginRefused('state_mismatch');

  const { redirectUri, secrets, answer } = pending;
  if (answer && 'refusal' in answer) throw new LoginRefused(answer.refusal.reason, answer.refusal.detail);
  const identity =
    answer?.identity ??
    (await connectorFor(provider, access).handleCallback(callback, { state, redirectUri, secrets }));
  return { provider, identity, pending };
}
