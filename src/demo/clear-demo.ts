import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { lockSuperAdmins } from '#src/users/require-super-admin.ts';

/**
 * Removes the sample household with its people, keys and ledger; real families are left alone. Refuses to leave
 * people without a super admin who can still come in.
 */
export async function clearDemo(work: Work): Promise<{ families: number }> {
  await lockSuperAdmins(work);
  const [left] = await work.sql<{ people: number; admins: number }>(
    `select count(*)::integer as people,
       (count(*) filter (where u.role = 'super_admin' and u.suspended_at is null))::integer as admins
     from users u join families f on f.id = u.family_id where not f.demo`,
  );
  if (left && left.people > 0 && left.admins === 0) {
    throw new AppError('forbidden', 'The last active super admin is in the sample household', {
      hint: 'Make somebody outside it a super admin first: financectl users role EMAIL super_admin.',
    });
  }
  const people = await work.sql<{ id: string; role: string; family_id: string }>(
    'select u.id, u.role, u.family_id from users u join families f on f.id = u.family_id where f.demo',
  );
  for (const { id: userId, role, family_id } of people) {
    recordAuditEvent(work, 'user_deleted', {
      userId,
      metadata: { role, family_id, took_family: true, demo: true },
    });
  }
  await work.em.flush();
  const rows = await work.sql('delete from families where demo returning id');
  return { families: rows.length };
}
