import type { Work } from '#src/kernel/work.ts';

/** Who must not make an account again, because the one they had was deleted. */
export interface BlockedIdentity {
  /** The provider's id. */
  provider: string;
  subject: string;
  email: string | null;
  createdAt: Date;
}

const AT_MOST = 500;

/** The latest first, 500 at most. */
export async function listBlockedIdentities(work: Work): Promise<BlockedIdentity[]> {
  const rows = await work.sql<{
    provider: string;
    subject: string;
    email: string | null;
    created_at: string;
  }>(
    `select provider, subject, email, created_at from blocked_identities
     order by created_at desc, provider, subject limit ${AT_MOST}`,
  );
  return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt: new Date(createdAt) }));
}
