import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import type { OneTimeProof } from '#src/sso/connector.ts';
import { useOnce } from '#src/sso/login/use-once.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { rememberEnding } from '#src/sso/logout/remember-ending.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** The sessions that a provider ends, as it names them in a message that has been checked. */
export interface ProviderEnding {
  by: 'backchannel' | 'saml_logout';
  /** Whose; null: the sessions are named without their owner. */
  subject: string | null;
  /** Empty: all of the subject. */
  sids: readonly string[];
  proof: OneTimeProof;
}

const REPEATED = { backchannel: 'logout_token_invalid', saml_logout: 'logout_message_invalid' } as const;

/**
 * Ends what a provider says has ended (OpenID Connect Back-Channel Logout 1.0, section 2.7; SAML Core, section
 * 3.7.3.2). The message is accepted once, whichever process gets it: a second one is a `LoginRefused`.
 */
export async function endProviderSessions(
  work: Work,
  { id, name }: Provider,
  { by, subject, sids, proof }: ProviderEnding,
): Promise<void> {
  if (!(await useOnce(work, id, proof))) throw new LoginRefused(REPEATED[by], 'repeated');
  // Whose and which, and neither is known: that names nothing.
  if (subject === null && sids.length === 0) return;
  const { issuedAt } = proof;
  if (subject !== null && issuedAt !== undefined) await rememberEnding(work, id, { subject, sids, issuedAt });

  // A session whose name at the provider was never told cannot be told from the one that is meant.
  const ended = await work.sql<{ user_id: string }>(
    `delete from sessions s where s.provider = $1
       and (cardinality($2::text[]) = 0 or s.idp_session_id = any ($2)
         or (s.idp_session_id is null and $3::text is not null))
       and ($3::text is null or s.identity_id = (
         select i.id from identities i where i.provider = $1 and i.subject = $3))
     returning s.user_id`,
    [id, sids, subject],
  );
  for (const userId of new Set(ended.map((session) => session.user_id))) {
    const sessions = ended.filter((session) => session.user_id === userId).length;
    recordAuditEvent(work, 'logout', { userId, provider: name, metadata: { reason: by, sessions } });
  }
}
