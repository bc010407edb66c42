import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { startSession } from '#src/auth/start-session.ts';
import type { Work } from '#src/kernel/work.ts';
import { type Acceptance, acceptInvitation } from '#src/users/accept-invitation.ts';

export interface Admission extends Acceptance {
  /** Hours until the session ends whatever happens. */
  lifetimeHours: number;
}

/** Makes the user an invitation is for and signs them in; answers with the token for the cookie. */
export async function admitInvited(work: Work, { lifetimeHours, ...acceptance }: Admission): Promise<string> {
  const { id: userId } = await acceptInvitation(work, acceptance);
  // Nobody was signed in before; from here on it is the new user who acts.
  const theirs: Work = { ...work, actor: { ...work.actor, userId } };
  recordAuditEvent(theirs, 'login', { userId, metadata: { method: 'local' } });
  return startSession(theirs, { userId, lifetimeHours });
}
