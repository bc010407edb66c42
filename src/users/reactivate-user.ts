import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import { findUser } from '#src/users/find-user.ts';
import type { User } from '#src/users/user.entity.ts';

/** Gives a suspended user access again. */
export async function reactivateUser(work: Work, { user: reference }: { user: string }): Promise<User> {
  const user = await findUser(work, reference);
  user.reactivate();
  recordAuditEvent(work, 'user_reactivated', { userId: user.id });
  await work.em.flush();
  return user;
}
