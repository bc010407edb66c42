import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { User } from '#src/users/user.entity.ts';

/**
 * Refuses what would leave the instance without an active super admin. Locks all of them until the unit of work
 * ends, so that two of them cannot go at the same moment.
 */
export async function requireAnotherSuperAdmin(work: Work, user: User): Promise<void> {
  if (!user.isActiveSuperAdmin()) return;
  const admins = await work.sql<{ id: string }>(
    `select id from users where role = 'super_admin' and suspended_at is null order by id for update`,
  );
  if (admins.some(({ id }) => id !== user.id)) return;
  throw new AppError('forbidden', `${user.email} is the last active super admin`, {
    hint: 'Make another user a super admin first.',
  });
}
