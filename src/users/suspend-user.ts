import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import { endSessions } from '#src/users/end-sessions.ts';
import { findUser } from '#src/users/find-user.ts';
import { requireAnotherSuperAdmin } from '#src/users/require-super-admin.ts';
import type { User } from '#src/users/user.entity.ts';
import { withdrawInvitationsOf } from '#src/users/withdraw-invitations-of.ts';

export interface Suspension {
  /** Email or id. */
  user: string;
  /** Kept in the audit log. */
  reason?: string | undefined;
}

/**
 * Ends a user's access until reactivated: keys are refused from the next request on, in every process; sessions,
 * bearer tokens, reset links and the invitations they made are gone for good.
 */
export async function suspendUser(work: Work, { user: reference, reason }: Suspension): Promise<User> {
  const user = await findUser(work, reference);
  await requireAnotherSuperAdmin(work, user);
  user.suspend(work.now());
  recordAuditEvent(work, 'user_suspended', {
    userId: user.id,
    metadata: reason === undefined ? {} : { reason },
  });
  await withdrawInvitationsOf(work, user.id);
  await work.em.flush();
  await endSessions(work, user.id);
  await work.sql('delete from password_resets where user_id = $1', [user.id]);
  await work.sql(
    'delete from access_tokens where api_key_id in (select id from api_keys where user_id = $1)',
    [user.id],
  );
  return user;
}
