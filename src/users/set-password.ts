import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import { findUser } from '#src/users/find-user.ts';
import { hashPassword } from '#src/users/password.ts';
import type { User } from '#src/users/user.entity.ts';

export interface NewPassword {
  /** Email or id. */
  user: string;
  password: string;
}

export async function setPassword(work: Work, { user: reference, password }: NewPassword): Promise<User> {
  const user = await findUser(work, reference);
  user.passwordDigest = await hashPassword(password);
  recordAuditEvent(work, 'password_changed', { userId: user.id });
  await work.em.flush();
  return user;
}
