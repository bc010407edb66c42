import type { Work } from '#src/kernel/work.ts';
import type { Role } from '#src/users/role.ts';

export interface InvitationRow {
  id: string;
  email: string;
  role: Role;
  familyId: string;
  familyName: string;
  /** Null when somebody at a terminal did, or the inviter is gone. */
  inviterEmail: string | null;
  createdAt: Date;
  /** May lie in the past: such an invitation opens nothing and waits to be renewed or withdrawn. */
  expiresAt: Date;
  isExpired: boolean;
}

/** Everybody who is invited and has not come yet, by email. */
export async function listInvitations(work: Work): Promise<InvitationRow[]> {
  const rows = await work.sql<
    Record<'id' | 'email' | 'family_id' | 'family_name' | 'created_at' | 'expires_at', string> & {
      role: Role;
      inviter_email: string | null;
      is_expired: boolean;
    }
  >(
    `select i.id, i.email, i.role, i.family_id, f.name as family_name, u.email as inviter_email,
       i.created_at, i.expires_at, i.expires_at <= now() as is_expired
     from invitations i join families f on f.id = i.family_id left join users u on u.id = i.invited_by
     order by i.email`,
  );
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    familyId: row.family_id,
    familyName: row.family_name,
    inviterEmail: row.inviter_email,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    isExpired: row.is_expired,
  }));
}
