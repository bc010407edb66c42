import type { Work } from '#src/kernel/work.ts';

export interface IdentityRow {
  id: string;
  /** The provider's id. */
  provider: string;
  subject: string;
  email: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Where else somebody can sign in, oldest connection first. */
export async function listIdentities(work: Work, userId: string): Promise<IdentityRow[]> {
  const rows = await work.sql<
    Record<'id' | 'provider' | 'subject' | 'created_at', string> &
      Record<'email' | 'last_used_at', string | null>
  >(
    `select id, provider, subject, email, created_at, last_used_at from identities
     where user_id = $1 order by created_at, id`,
    [userId],
  );
  return rows.map((row) => ({
    id: row.id,
    provider: row.provider,
    subject: row.subject,
    email: row.email,
    createdAt: new Date(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  }));
}
