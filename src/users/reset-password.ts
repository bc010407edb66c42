import { AppError } from '#src/kernel/errors.ts';
import { tokenDigest } from '#src/kernel/token.ts';
import type { Work } from '#src/kernel/work.ts';
import { setPassword } from '#src/users/set-password.ts';
import type { User } from '#src/users/user.entity.ts';

export interface ResetPassword {
  token: string;
  password: string;
}

/**
 * Sets the password of whom a link was made for. It works once: a password that is refused rolls back with
 * everything else, so the link stays good for another try. Throws `not_found` when it was used, replaced or has expired.
 */
export async function resetPassword(work: Work, { token, password }: ResetPassword): Promise<User> {
  const digest = tokenDigest(token);
  const [reset] = digest
    ? await work.sql<{ user_id: string }>(
        'delete from password_resets where digest = $1 and expires_at > now() returning user_id',
        [digest],
      )
    : [];
  if (!reset) {
    throw new AppError('not_found', 'This link has been used or replaced, or has expired', {
      hint: 'Ask for a new one.',
    });
  }
  return setPassword(work, { user: reset.user_id, password, via: 'reset' });
}
