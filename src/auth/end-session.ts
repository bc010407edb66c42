import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { notFound } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';

export interface EndedSession {
  userId: string;
  sessionId: string;
  /** Why, when it is not the user who leaves. */
  reason?: 'revoked' | undefined;
  /** The name of the identity provider it came through. */
  provider?: string | undefined;
  /** Whether the user leaves the provider too (specification, Events). */
  federated?: boolean | undefined;
}

/**
 * Ends one session of a user: its cookie is worth nothing from the next request on, in every process. Answers with what
 * the identity provider calls the session, where it does.
 */
export async function endSession(
  work: Work,
  { userId, sessionId, reason, provider, federated = false }: EndedSession,
): Promise<{ idpSessionId: string | null }> {
  const gone = isUuid(sessionId)
    ? await work.sql<{ provider: string | null; idp_session_id: string | null }>(
        'delete from sessions where id = $1 and user_id = $2 returning provider, idp_session_id',
        [sessionId, userId],
      )
    : [];
  const [session] = gone;
  if (!session) throw notFound('Session');
  recordAuditEvent(work, federated ? 'logout_idp' : 'logout', {
    userId,
    provider: provider ?? session.provider ?? undefined,
    metadata: { session_id: sessionId, ...(reason && { reason }) },
  });
  return { idpSessionId: session.idp_session_id };
}
