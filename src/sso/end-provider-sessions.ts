import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import type { LogoutNotice } from '#src/sso/connector.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/provider.ts';

/**
 * Ends the sessions that a checked logout token names (OpenID Connect Back-Channel Logout 1.0, section 2.7). A token is
 * accepted once, whichever process gets it: a second one is a `LoginRefused`.
 */
export async function endProviderSessions(
  work: Work,
  { id, name }: Provider,
  { subject, sid, tokenId, expiresAt }: LogoutNotice,
): Promise<void> {
  const accepted = await work.sql(
    `insert into used_assertions (provider, assertion_id, expires_at) values ($1, $2, $3)
     on conflict do nothing returning 1 as one`,
    [id, tokenId, expiresAt],
  );
  if (accepted.length === 0) throw new LoginRefused('logout_token_invalid', 'repeated');

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

/** For `tidy`: a token this old is refused for its age. */
export const EXPIRED_ASSERTIONS = `delete from used_assertions where (provider, assertion_id) in (
  select provider, assertion_id from used_assertions where expires_at < now() limit 1000 for update skip locked)`;
