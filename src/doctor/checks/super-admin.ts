import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, fail, ok, type Subject, warn } from '#src/doctor/check.ts';

const COUNT = `select count(*)::integer as users,
  count(*) filter (where role = 'super_admin' and suspended_at is null)::integer as admins from users`;

export async function superAdmin(subject: Subject): Promise<Finding> {
  const { sql } = await databaseOf(subject);
  const [row] = await sql<{ users: number; admins: number }>(COUNT);
  const { users = 0, admins = 0 } = row ?? {};
  if (users === 0) {
    return warn(
      'there are no users yet',
      'financectl users create --email EMAIL makes the first one, a super admin.',
    );
  }
  if (admins > 0) return ok(`${admins} active of ${users} ${users === 1 ? 'user' : 'users'}`);
  return fail(
    'nobody is an active super admin',
    'Run financectl users role EMAIL super_admin, or users reactivate.',
  );
}
