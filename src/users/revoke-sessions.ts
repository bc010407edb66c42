import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import { endSessions } from '#src/users/end-sessions.ts';
import { findUser } from '#src/users/find-user.ts';
import type { User } from '#src/users/user.entity.ts';

export interface Revocation {
  /** Email or id. */
  user: string;
  /** The session that goes on: the one of a user who ends all others. */
  exceptSessionId?: string | undefined;
}

/** Ends a user's sessions; one event tells how many. Where there is none, nothing is recorded. */
export async function revokeSessions(
  work: Work,
  { user: reference, exceptSessionId }: Revocation,
): Promise<{ user: User; sessions: number }> {
  const user = await findUser(work, reference);
  const sessions = await endSessions(work, user.id, { exceptSessionId });
  if (sessions > 0) {
    recordAuditEvent(work, 'logout', { userId: user.id, metadata: { reason: 'revoked', sessions } });
  }
  await work.em.flush();
  return { user, sessions };
}
