import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { mapRoles, type Said } from '#src/sso/roles/map-roles.ts';
import { requireAnotherSuperAdmin } from '#src/users/require-super-admin.ts';
import { ROLES, type Role } from '#src/users/role.ts';
import type { User } from '#src/users/user.entity.ts';
import { withdrawInvitationsOf } from '#src/users/withdraw-invitations-of.ts';

export interface RoleSync {
  old: Role;
  new: Role;
  /** The role should have changed, but the instance would have been without an active super admin. */
  kept: boolean;
}

/**
 * Gives a user the role that the provider's answer maps to (decisions, section 3: Mapping, Applied). Without rules the
 * role is left alone; when none matches it is the default role, for the founder of a family at least `admin`; with
 * `keepsUnmatched` it is left alone then too, because an invitation has decided it.
 */
export async function syncRole(
  work: Work,
  user: User,
  provider: Provider,
  said: Said,
  { keepsUnmatched = false }: { keepsUnmatched?: boolean } = {},
): Promise<RoleSync> {
  const old = user.role;
  const decision = mapRoles(provider.roleMapping, said);
  const isLeft = decision.kind === 'no_rules' || (decision.kind === 'no_match' && keepsUnmatched);
  if (isLeft) return { old, new: old, kept: false };

  const wanted = decision.kind === 'matched' ? decision.role : await defaultRole(work, user, provider);
  if (wanted === old) return { old, new: old, kept: false };
  if (!(await mayChange(work, user, wanted))) return { old, new: old, kept: true };

  recordAuditEvent(work, 'role_changed', {
    userId: user.id,
    provider: provider.name,
    metadata: { old, new: wanted, reason: decision.kind === 'matched' ? 'sso_groups' : 'sso_default' },
  });
  // Only super admins invite.
  if (wanted !== 'super_admin') await withdrawInvitationsOf(work, user.id);
  user.role = wanted;
  await work.em.flush();
  return { old, new: wanted, kept: false };
}

/** What a sign-in gives when none of the rules matches. */
export async function defaultRole(
  work: Work,
  user: Pick<User, 'id' | 'familyId'>,
  { defaultRole: role }: Provider,
): Promise<Role> {
  const founded = await work.sql('select 1 as one from families where id = $1 and founder_id = $2', [
    user.familyId,
    user.id,
  ]);
  return founded.length > 0 ? founderRole(role) : role;
}

/** The founder of a family is at least its admin. */
export function founderRole(role: Role): Role {
  return ROLES.indexOf(role) < ROLES.indexOf('admin') ? 'admin' : role;
}

/** No sign-in leaves the instance without an active super admin, and none fails because of it. */
async function mayChange(work: Work, user: User, wanted: Role): Promise<boolean> {
  if (wanted === 'super_admin') return true;
  try {
    await requireAnotherSuperAdmin(work, user);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return false;
    throw error;
  }
}
