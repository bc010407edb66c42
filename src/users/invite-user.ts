import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { invalid, notFound } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/new-id.ts';
import { requireOneOf } from '#src/kernel/text.ts';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { requireEmail } from '#src/users/email.ts';
import { ROLES, type Role } from '#src/users/role.ts';
import { User } from '#src/users/user.entity.ts';

const DAYS = 7;

export interface NewInvitation {
  email: string;
  familyId: string;
  role: string;
}

export interface Invited {
  id: string;
  email: string;
  role: Role;
  familyName: string;
  expiresAt: Date;
  /** For the link; the only time it is seen. */
  token: string;
}

/** Invites somebody into a family for seven days. A pending invitation of the same address is replaced. */
export async function inviteUser(work: Work, wanted: NewInvitation): Promise<Invited> {
  const email = requireEmail(wanted.email);
  const role = requireOneOf('the role', wanted.role, ROLES);
  if ((await work.em.count(User, { email })) > 0) {
    throw invalid([`there is already a user ${email}`], 'financectl users list shows them all.');
  }
  const familyName = await nameFamily(work, wanted.familyId);

  const id = newId();
  const token = newToken();
  // Read by the database's clock later, so written by it too.
  const [invitation] = await work.sql<{ expires_at: string }>(
    `insert into invitations (id, email, family_id, role, digest, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, now(), now() + make_interval(days => $7::integer))
     on conflict (email) do update set id = excluded.id, family_id = excluded.family_id, role = excluded.role,
       digest = excluded.digest, invited_by = excluded.invited_by, created_at = excluded.created_at,
       expires_at = excluded.expires_at
     returning expires_at`,
    [id, email, wanted.familyId, role, tokenDigest(token), work.actor.userId ?? null, DAYS],
  );
  if (!invitation) throw new Error('an invitation was not kept');
  recordAuditEvent(work, 'user_invited', {
    metadata: { invitation: id, email, role, family_id: wanted.familyId },
  });
  await work.em.flush();
  return { id, email, role, familyName, expiresAt: new Date(invitation.expires_at), token };
}

async function nameFamily(work: Work, familyId: string): Promise<string> {
  const [family] = isUuid(familyId)
    ? await work.sql<{ name: string }>('select name from families where id = $1 for key share', [familyId])
    : [];
  if (!family) throw notFound('Family');
  return family.name;
}
