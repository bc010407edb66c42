import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import { endSessions } from '#src/users/end-sessions.ts';
import { findUser } from '#src/users/find-user.ts';
import { hashPassword } from '#src/users/password.ts';
import type { User } from '#src/users/user.entity.ts';

export interface NewPassword {
  /** Email or id. */
  user: string;
  password: string;
  /** The session that goes on: the one of a user who changes it. */
  exceptSessionId?: string | undefined;
  /** Kept in the audit log when it is not somebody signed in, or an administrator, who sets it. */
  via?: 'reset' | undefined;
}

/** Sets a password. The user's sessions end and reset links are void. */
export async function setPassword(
  work: Work,
  { user: reference, password, exceptSessionId, via }: NewPassword,
): Promise<User> {
  const user = await findUser(work, reference);
  user.passwordDigest = await hashPassword(password, { email: user.email });
  recordAuditEvent(work, 'password_changed', { userId: user.id, metadata: via ? { via } : {} });
  await work.em.flush();
  await endSessions(work, user.id, { exceptSessionId });
  await work.sql('delete from password_resets where user_id = $1', [user.id]);
  return user;
}
