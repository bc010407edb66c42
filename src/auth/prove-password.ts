import { countFailures, forgetFailures } from '#src/auth/login-throttle.ts';
import type { AppError } from '#src/kernel/errors.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { verifyPassword } from '#src/users/password.ts';

export interface PasswordProof {
  userId: string;
  /** Of the user. */
  email: string;
  password: string;
  /** Whom the throttle counts as one. */
  source: string;
}

export type ProofOutcome =
  | { proven: true; digest: string }
  | { proven: false; reason: 'wrong_password' }
  /** `first`: the others of this window say nothing new. */
  | { proven: false; reason: 'throttled'; first: boolean; error: AppError };

/** Whether somebody knows the password of an account, whatever it opens; guesses count with failed sign-ins. */
export async function provePassword(
  runtime: Runtime,
  { userId, email, password, source }: PasswordProof,
): Promise<ProofOutcome> {
  const counted = { email, address: source };
  const excess = await countFailures(runtime, counted);
  if (excess) return { proven: false, reason: 'throttled', ...excess };

  const { rows } = await runtime.pool.query<{ password_digest: string | null }>(
    'select password_digest from users where id = $1 and suspended_at is null',
    [userId],
  );
  const digest = rows[0]?.password_digest ?? null;
  if (!(await verifyPassword(password, digest)) || digest === null) {
    return { proven: false, reason: 'wrong_password' };
  }
  await forgetFailures(runtime, counted);
  return { proven: true, digest };
}
