import { newToken } from '#src/kernel/token.ts';
import type { Departure } from '#src/sso/connector.ts';
import { connectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import { askedAt } from '#src/sso/login/asked-at.ts';
import { type LoginPurpose, rememberLogin } from '#src/sso/login/pending-login.ts';
import { findUsableProvider } from '#src/sso/providers/find-usable-provider.ts';
import { providerUrls } from '#src/sso/providers/provider-urls.ts';

export interface LoginStart {
  /** Name of the provider. */
  provider: string;
  purpose: LoginPurpose;
  /** Who connects or tries; nobody when signing in. */
  userId?: string | undefined;
  /** What the browser's cookie holds: only this browser can finish what it starts. */
  browser: string;
  /** Where to go on afterwards; a path of this service. */
  returnTo?: string | undefined;
}

/** Remembers the attempt and answers with where to send the browser. Throws `LoginRefused`. */
export async function startLogin(federation: Federation, start: LoginStart): Promise<Departure> {
  const { runtime, access } = federation;
  const provider = await findUsableProvider(federation, start.provider);
  const state = newToken();
  const redirectUri = providerUrls(
    {
      id: provider.id,
      name: provider.name,
      strategy: provider.strategy,
      ...('redirectUri' in provider && { redirectUri: provider.redirectUri }),
    },
    runtime.config.http.appUrl,
  ).callback_url;

  const { secrets, ...departure } = await connectorFor(provider, access).startLogin({ state, redirectUri });
  await rememberLogin(
    runtime,
    { state, browser: start.browser },
    {
      provider: provider.id,
      purpose: start.purpose,
      userId: start.userId ?? null,
      redirectUri,
      askedAt: askedAt(provider),
      secrets,
      returnTo: start.returnTo ?? null,
    },
  );
  return departure;
}
