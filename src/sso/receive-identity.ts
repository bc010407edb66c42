import { notFound } from '#src/kernel/errors.ts';
import type { CallbackRequest, Identity } from '#src/sso/connector.ts';
import { connectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import { requireUsable } from '#src/sso/find-usable-provider.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { type PendingLogin, takePendingLogin } from '#src/sso/pending-login.ts';
import type { Provider } from '#src/sso/provider.ts';

export interface Callback extends CallbackRequest {
  /** Name of the provider in the path. */
  provider: string;
  /** What the browser's cookie holds; undefined when it has none. */
  browser: string | undefined;
}

export interface Received {
  provider: Provider;
  identity: Identity;
  pending: PendingLogin;
}

/**
 * Who comes back from an identity provider, proven by its protocol. Asks nobody anything unless this browser has
 * started a login at this provider that has not been finished; the provider must still be enabled. Throws
 * `LoginRefused`, and `not_found` for an unknown name.
 */
export async function receiveIdentity(federation: Federation, callback: Callback): Promise<Received> {
  const { runtime, source, access } = federation;
  const entry = await source.lookUpByName(callback.provider);
  if (!entry) throw notFound('Identity provider');
  const state = callback.form?.RelayState ?? callback.url.searchParams.get('state');
  if (!state || callback.browser === undefined) throw new LoginRefused('state_mismatch');
  const pending = await takePendingLogin(runtime, { state, browser: callback.browser });
  if (!pending) throw new LoginRefused('state_mismatch');

  if (entry.id !== pending.provider) throw new LoginRefused('state_mismatch');
  const provider = requireUsable(entry);

  const { redirectUri, secrets } = pending;
  const identity = await connectorFor(provider, access).handleCallback(callback, {
    state,
    redirectUri,
    secrets,
  });
  return { provider, identity, pending };
}
