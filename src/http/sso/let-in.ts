import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { startSession } from '#src/auth/start-session.ts';
import type { Work } from '#src/kernel/work.ts';
import type { IdentityTokens } from '#src/sso/connector.ts';
import { logoutConnectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/provider.ts';

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
  // A suspension at this moment waits, and then finds the session.
  const active = await work.sql(
    'select 1 as one from users where id = $1 and suspended_at is null for share',
    [userId],
  );
  if (active.length === 0) throw new LoginRefused('user_suspended', undefined, userId);

  const theirs: Work = { ...work, actor: { ...work.actor, userId } };
  recordAuditEvent(theirs, 'login', {
    userId,
    provider: provider.name,
    metadata: { method: provider.strategy, identity_id: identityId },
  });
  const { tokens, idpLogout, lifetimeHours } = rest;
  const federated = { provider: provider.id, identityId, idpSessionId: tokens?.sid, idpLogout };
  return startSession(theirs, { userId, lifetimeHours, federated });
}

/** Whether the provider has a place where sessions end. Asked at sign-in, when the answer is known without a call. */
export async function wantsLogout({ access }: Federation, provider: Provider): Promise<boolean> {
  return (await logoutConnectorFor(provider, access)?.offersLogout()) ?? false;
}
