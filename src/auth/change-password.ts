import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { localLogin } from '#src/auth/local-login.ts';
import { provePassword } from '#src/auth/prove-password.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Actor, Runtime } from '#src/kernel/work.ts';
import type { Role } from '#src/users/role.ts';
import { setPassword } from '#src/users/set-password.ts';

/** Whose password it is, and whether there is one. */
export interface PasswordOwner {
  userId: string;
  email: string;
  role: Role;
  hasPassword: boolean;
  /** The session that goes on. */
  sessionId: string;
}

export interface PasswordChange {
  current: string;
  password: string;
  /** Whom the throttle counts as one. */
  source: string;
}

/** Why somebody's password cannot be changed by themselves; undefined when it can. */
export function whyPasswordStays(
  { config }: Pick<Runtime, 'config'>,
  { role, hasPassword }: Pick<PasswordOwner, 'role' | 'hasPassword'>,
): 'no_password' | 'local_login_disabled' | undefined {
  if (!hasPassword) return 'no_password';
  const policy = localLogin(config.auth);
  const mayUseIt = policy === 'everybody' || (policy === 'super_admins' && role === 'super_admin');
  return mayUseIt ? undefined : 'local_login_disabled';
}

/**
 * Gives a signed-in user another password; their other sessions end and reset links are void. Throws
 * `invalid_credentials` for a wrong current password, counted and recorded as failed sign-ins are, `validation_failed`
 * for a poor new one, `rate_limit_exceeded`, and `local_login_disabled` where there is nothing to change.
 */
export async function changePassword(
  runtime: Runtime,
  actor: Actor,
  { owner, current, password, source }: PasswordChange & { owner: PasswordOwner },
): Promise<void> {
  if (whyPasswordStays(runtime, owner)) {
    throw new AppError('local_login_disabled', 'This password cannot be changed here');
  }
  const { userId, email, sessionId } = owner;
  const outcome = await provePassword(runtime, { userId, email, password: current, source });
  if (!outcome.proven) {
    const { reason } = outcome;
    if (reason === 'wrong_password' || outcome.first) await recordGuess(runtime, actor, { owner, reason });
    throw reason === 'wrong_password' ? wrong() : outcome.error;
  }
  const { digest } = outcome;
  if (password === current) throw invalid(['the new password must differ from the current one']);

  await perform(runtime, { actor }, async (work) => {
    // It has been verified outside of this transaction, so somebody may have changed it since.
    const unchanged = await work.sql(
      `select 1 as one from users
       where id = $1 and password_digest = $2 and suspended_at is null for no key update`,
      [userId, digest],
    );
    if (unchanged.length === 0) throw wrong();
    await setPassword(work, { user: userId, password, exceptSessionId: sessionId });
  });
}

/** Whoever has found an open browser and guesses is no different from who guesses at the sign-in page. */
async function recordGuess(
  runtime: Runtime,
  actor: Actor,
  { owner: { userId, email }, reason }: { owner: PasswordOwner; reason: string },
): Promise<void> {
  await perform(runtime, { actor }, async (work) =>
    recordAuditEvent(work, 'login_failed', {
      userId,
      metadata: { method: 'local', reason, email, during: 'password_change' },
    }),
  );
}

function wrong(): AppError {
  return new AppError('invalid_credentials', 'The current password is wrong');
}
