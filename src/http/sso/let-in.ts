import { letInVouched } from '#src/auth/let-in.ts';
import type { Work } from '#src/kernel/work.ts';
import type { IdentityTokens } from '#src/sso/connector.ts';
import { logoutConnectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

interface Entrance {
  userId: string;
  identityId: string;
  provider: Provider;
  tokens: IdentityTokens | undefined;
  /** As `wantsLogout` says. */
  idpLogout: boolean;
  lifetimeHours: number;
}

/** Session and record of somebody whom their identity admits; answers with the token for the cookie. */
export async function letIn(
  work: Work,
  { userId, identityId, provider, ...rest }: Entrance,
): Promise<string> {
  const { tokens, idpLogout, lifetimeHours } = rest;
  const vouched = { userId, identityId, provider, idpSessionId: tokens?.sid, idpLogout, lifetimeHours };
  const token = await letInVouched(work, vouched);
  if (token === undefined) throw new LoginRefused('user_suspended', undefined, userId);
  return token;
}

/** Whether the provider has a place where sessions end. Asked at sign-in, when the answer is known without a call. */
export async function wantsLogout({ access }: Federation, provider: Provider): Promise<boolean> {
  return (await logoutConnectorFor(provider, access)?.offersLogout()) ?? false;
}
