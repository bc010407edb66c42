import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { requireOneOf } from '#src/kernel/text.ts';
import type { Work } from '#src/kernel/work.ts';
import { findUser } from '#src/users/find-user.ts';
import { requireAnotherSuperAdmin } from '#src/users/require-super-admin.ts';
import { ROLES } from '#src/users/role.ts';
import type { User } from '#src/users/user.entity.ts';
import { withdrawInvitationsOf } from '#src/users/withdraw-invitations-of.ts';

export interface RoleChange {
  /** Email or id. */
  user: string;
  role: string;
  /** Kept in the audit log beside the old and the new role. */
  reason?: string | undefined;
}

/** Takes effect at the next request. Giving a user the role it has changes nothing and records nothing. */
export async function changeRole(
  work: Work,
  { user: reference, role, reason = 'manual' }: RoleChange,
): Promise<User> {
  const user = await findUser(work, reference);
  const wanted = requireOneOf('the role', role, ROLES);
  if (wanted === user.role) return user;
  if (wanted !== 'super_admin') await requireAnotherSuperAdmin(work, user);

  recordAuditEvent(work, 'role_changed', {
    userId: user.id,
    metadata: { old: user.role, new: wanted, reason },
  });
  // Only super admins invite.
  if (wanted !== 'super_admin') await withdrawInvitationsOf(work, user.id);
  user.role = wanted;
  await work.em.flush();
  return user;
}
