import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { type AppError, invalid } from '#src/kernel/errors.ts';
import { requireOneOf, requireText } from '#src/kernel/text.ts';
import type { Work } from '#src/kernel/work.ts';
import { requireEmail } from '#src/users/email.ts';
import { hashPassword } from '#src/users/password.ts';
import { ROLES } from '#src/users/role.ts';
import { User } from '#src/users/user.entity.ts';

export interface NewUser {
  familyId: string;
  email: string;
  firstName?: string | undefined;
  lastName?: string | undefined;
  /** Default: `super_admin` for the very first user of the instance, else `member`. */
  role?: string | undefined;
  /** Without one the user can own keys but not sign in locally. */
  password?: string | undefined;
  /** The invitation it follows, for the audit log. */
  invitationId?: string | undefined;
  /** Name of the identity provider whose first sign-in makes the user. */
  provider?: string | undefined;
}

/** Adds a user. A pending invitation of the same address has served its purpose and goes. */
export async function createUser(
  work: Work,
  { familyId, invitationId, provider, ...user }: NewUser,
): Promise<User> {
  const email = requireEmail(user.email);
  if ((await work.em.count(User, { email })) > 0) {
    throw taken(email);
  }
  const first = (await work.em.count(User, {})) === 0;

  const created = work.em.create(User, {
    familyId,
    email,
    firstName: user.firstName ? requireText('the first name', user.firstName, 100) : null,
    lastName: user.lastName ? requireText('the last name', user.lastName, 100) : null,
    role: requireOneOf('the role', user.role ?? (first ? 'super_admin' : 'member'), ROLES),
    passwordDigest: user.password === undefined ? null : await hashPassword(user.password, { email }),
  });
  recordAuditEvent(work, provider === undefined ? 'user_created' : 'jit_account_created', {
    userId: created.id,
    provider,
    metadata: {
      role: created.role,
      family_id: familyId,
      ...(invitationId && { invitation: invitationId }),
    },
  });
  await work.em.flush().catch((error: unknown) => {
    // Somebody else has just made one, after the question above.
    throw errorCode(error) === '23505' && String(error).includes('users_email_key') ? taken(email) : error;
  });
  await work.sql('delete from invitations where email = $1', [email]);
  return created;
}

function taken(email: string): AppError {
  return invalid([`there is already a user ${email}`], 'financectl users list shows them all.');
}
