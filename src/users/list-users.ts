import type { Work } from '#src/kernel/work.ts';
import { User } from '#src/users/user.entity.ts';

export async function listUsers(work: Work): Promise<User[]> {
  return work.em.find(User, {}, { orderBy: { email: 'asc' } });
}
