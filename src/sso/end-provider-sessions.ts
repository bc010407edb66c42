import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import type { LogoutNotice } from '#src/sso/connector.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/provider.ts';
import { useOnce } from '#src/sso/use-once.ts';

/**
 * Ends the sessions that a checked logout token names (OpenID Connect Back-Channel Logout 1.0, section 2.7). A token is
 * accepted once, whichever process gets it: a second one is a `LoginRefused`.
 */
export async function endProviderSessions(
  work: Work,
  { id, name }: Provider,
  { subject, sid, tokenId, expiresAt }: LogoutNotice,
): Promise<void> {
  if (!(await useOnce(work, id, { id: tokenId, expiresAt: expiresAt.toISOString() }))) {
    throw new LoginRefused('logout_token_invalid', 'repeated');
  }

  // A session whose name at the provider was never told cannot be told from the one that is meant.
  const ended = await work.sql<{ user_id: string }>(
    `delete from sessions s where s.provider = $1
       and ($2::text is null or s.idp_session_id = $2 or (s.idp_session_id is null and $3::text is not null))
       and ($3::text is null or s.identity_id in (
         select i.id from identities i where i.provider = $1 and i.subject = $3))
     returning s.user_id`,
    [id, sid, subject],
  );
  for (const userId of new Set(ended.map((session) => session.user_id))) {
    const sessions = ended.filter((session) => session.user_id === userId).length;
    recordAuditEvent(work, 'logout', {
      userId,
      provider: name,
      metadata: { reason: 'backchannel', sessions },
    });
  }
}
