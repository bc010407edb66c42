import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { letIn } from '#src/auth/let-in.ts';
import { type LocalLogin, localLogin } from '#src/auth/local-login.ts';
import { countFailures, forgetFailures, type LoginSource } from '#src/auth/login-throttle.ts';
import { ENDED_SESSIONS } from '#src/auth/start-session.ts';
import { AppError } from '#src/kernel/errors.ts';
import { perform } from '#src/kernel/perform.ts';
import { runStatement } from '#src/kernel/statement.ts';
import { tidy } from '#src/kernel/tidy.ts';
import type { Actor, Runtime, Work } from '#src/kernel/work.ts';
import { normalizeEmail } from '#src/users/email.ts';
import { isOutdated, rehashPassword, verifyPassword } from '#src/users/password.ts';
import type { Role } from '#src/users/role.ts';

export interface Credentials {
  email: string;
  password: string;
  /** Whom the throttle counts as one. */
  source: string;
}

export interface LocalSession {
  userId: string;
  email: string;
  role: Role;
  /** For the cookie. */
  token: string;
}

type Refusal =
  | 'local_login_disabled'
  | 'throttled'
  | 'unknown_user'
  | 'no_password'
  | 'wrong_password'
  | 'suspended'
  | 'changed_meanwhile';

interface Candidate {
  id: string;
  email: string;
  role: Role;
  password_digest: string | null;
  suspended: boolean;
}

/**
 * Signs somebody in with email and password (decisions, section 2). Throws `invalid_credentials`, the same for
 * everything that is wrong with them, `local_login_disabled` and `rate_limit_exceeded`; each is on record.
 */
export async function logInLocally(
  runtime: Runtime,
  actor: Actor,
  given: Credentials,
): Promise<LocalSession> {
  const policy = localLogin(runtime.config.auth);
  const email = normalizeEmail(given.email);
  const refuse = (reason: Refusal, user?: Candidate) =>
    recordRefusal(runtime, actor, { reason, email, user });

  const source: LoginSource = { email, address: given.source };
  const excess = await countFailures(runtime, source);
  if (policy === 'nobody') {
    if (!excess || excess.first) await refuse('local_login_disabled');
    throw disabled();
  }
  if (excess) {
    if (excess.first) await refuse('throttled');
    throw excess.error;
  }

  const candidate = await lookUpCandidate(runtime, email);
  const right = await verifyPassword(given.password, candidate?.password_digest ?? null);
  const reason = whyNot(candidate, right, policy);
  if (reason || !candidate?.password_digest) {
    await refuse(reason ?? 'unknown_user', candidate);
    throw reason === 'local_login_disabled' ? disabled() : wrong();
  }

  const token = await letIn(runtime, actor, {
    userId: candidate.id,
    digest: candidate.password_digest,
    policy,
  });
  if (token === undefined) {
    await refuse('changed_meanwhile', candidate);
    throw wrong();
  }
  await forgetFailures(runtime, source);
  tidy(runtime, ENDED_SESSIONS);
  if (isOutdated(candidate.password_digest)) {
    await renewDigest(runtime, candidate, given.password);
  }
  return { userId: candidate.id, email: candidate.email, role: candidate.role, token };
}

const LOOK_UP = {
  name: 'look_up_candidate',
  text: `select id, email, role, password_digest, suspended_at is not null as suspended from users where email = $1`,
};

async function lookUpCandidate({ pool, config }: Runtime, email: string): Promise<Candidate | undefined> {
  if (email.includes('\0')) return undefined;
  const statement = config.database.namedStatements ? LOOK_UP : { ...LOOK_UP, name: '' };
  const [row] = await runStatement<Omit<Candidate, 'suspended'> & { suspended: string }>(pool, statement, [
    email,
  ]);
  return row && { ...row, suspended: row.suspended === 't' };
}

function whyNot(candidate: Candidate | undefined, right: boolean, policy: LocalLogin): Refusal | undefined {
  if (!candidate) return 'unknown_user';
  if (candidate.password_digest === null) return 'no_password';
  if (!right) return 'wrong_password';
  if (candidate.suspended) return 'suspended';
  return policy === 'super_admins' && candidate.role !== 'super_admin' ? 'local_login_disabled' : undefined;
}

interface RefusedLogin {
  reason: Refusal;
  email: string;
  user: Candidate | undefined;
}

async function recordRefusal(
  runtime: Runtime,
  actor: Actor,
  { reason, email, user }: RefusedLogin,
): Promise<void> {
  await perform(runtime, { actor }, async (work: Work) =>
    recordAuditEvent(work, 'login_failed', {
      userId: user?.id,
      metadata: { method: 'local', reason, email: email.slice(0, 254) },
    }),
  );
}

/** Unless somebody else has changed it meanwhile. */
async function renewDigest(
  { pool }: Runtime,
  { id, password_digest: old }: Candidate,
  password: string,
): Promise<void> {
  await pool.query('update users set password_digest = $3 where id = $1 and password_digest = $2', [
    id,
    old,
    await rehashPassword(password),
  ]);
}

function wrong(): AppError {
  return new AppError('invalid_credentials', 'Email or password is wrong');
}

function disabled(): AppError {
  return new AppError('local_login_disabled', 'Signing in with a password is turned off');
}
