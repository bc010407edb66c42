import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { Work } from '#src/kernel/work.ts';
import { findUser } from '#src/users/find-user.ts';

export const RESET_MINUTES = 15;

export interface PasswordReset {
  userId: string;
  email: string;
  /** For the link; the only time it is seen. */
  token: string;
}

/**
 * Lets a user choose a new password within 15 minutes; an older link is void. Throws `not_found`, and `conflict` for
 * users without a password and suspended ones: whoever asks for somebody unproven must hide which it was.
 */
export async function createPasswordReset(
  work: Work,
  { user: reference }: { user: string },
): Promise<PasswordReset> {
  const { id: userId, email } = await findUser(work, reference);
  // The lock makes a suspension, a new password and another link of this moment wait, or be seen.
  const [state] = await work.sql<{ suspended: boolean; has_password: boolean }>(
    `select suspended_at is not null as suspended, password_digest is not null as has_password
     from users where id = $1 for no key update`,
    [userId],
  );
  if (state?.suspended) throw new AppError('conflict', `${email} is suspended`);
  if (!state?.has_password) {
    throw new AppError('conflict', `${email} has no password to reset`, {
      hint: `To give one: financectl users set-password ${email}`,
    });
  }
  const token = newToken();
  await work.sql('delete from password_resets where user_id = $1', [userId]);
  await work.sql(
    `insert into password_resets (digest, user_id, created_at, expires_at)
     values ($1, $2, now(), now() + make_interval(mins => $3::integer))`,
    [tokenDigest(token), userId, RESET_MINUTES],
  );
  recordAuditEvent(work, 'password_reset_requested', { userId });
  await work.em.flush();
  return { userId, email, token };
}
