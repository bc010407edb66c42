import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { User } from '#src/users/user.entity.ts';

/**
 * Makes whoever else is about to take away a super admin wait until this unit of work ends. Not the rows are locked:
 * a statement that waits for a row still does not see who became a super admin meanwhile.
 */
export async function lockSuperAdmins(work: Work): Promise<void> {
  await work.sql(`select pg_advisory_xact_lock(hashtext('super_admins'))`);
}

/**
 * Refuses what would leave the instance without an active super admin. What the database says once nobody else is
 * at it counts: the user may have become one since it was read.
 */
export async function requireAnotherSuperAdmin(work: Work, user: User): Promise<void> {
  await lockSuperAdmins(work);
  const admins = await work.sql<{ id: string }>(
    `select id from users where role = 'super_admin' and suspended_at is null`,
  );
  if (!admins.some(({ id }) => id === user.id)) return;
  if (admins.some(({ id }) => id !== user.id)) return;
  throw new AppError('forbidden', `${user.email} is the last active super admin`, {
    hint: 'Make another user a super admin first.',
  });
}
