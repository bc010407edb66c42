import { AppError } from '#src/kernel/errors.ts';
import { tokenDigest } from '#src/kernel/token.ts';
import type { Work } from '#src/kernel/work.ts';
import { createUser } from '#src/users/create-user.ts';
import type { User } from '#src/users/user.entity.ts';

export interface Acceptance {
  token: string;
  firstName?: string | undefined;
  lastName?: string | undefined;
  password: string;
}

/**
 * Makes the user an invitation is for, in its family and role. It works once: deleting it and making the user are
 * one unit of work. Throws `not_found` when it was used, withdrawn, replaced or has expired.
 */
export async function acceptInvitation(work: Work, { token, ...person }: Acceptance): Promise<User> {
  const digest = tokenDigest(token);
  const [invitation] = digest
    ? await work.sql<Record<'id' | 'email' | 'family_id' | 'role', string>>(
        'delete from invitations where digest = $1 and expires_at > now() returning id, email, family_id, role',
        [digest],
      )
    : [];
  if (!invitation) {
    throw new AppError('not_found', 'This invitation has been used or withdrawn, or has expired', {
      hint: 'Ask whoever invited you for a new one.',
    });
  }
  const { id: invitationId, email, family_id: familyId, role } = invitation;
  return createUser(work, { ...person, invitationId, email, familyId, role });
}
