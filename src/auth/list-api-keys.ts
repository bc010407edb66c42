import type { Work } from '#src/kernel/work.ts';

export interface ApiKeyRow {
  id: string;
  email: string;
  name: string;
  scope: string;
  /** The first characters and the last, enough to recognise a key by. */
  display: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** Newest first, revoked ones included; of every user, or of one. */
export async function listApiKeys(
  work: Work,
  { userId }: { userId?: string | undefined },
): Promise<ApiKeyRow[]> {
  const rows = await work.sql<
    Record<'id' | 'email' | 'name' | 'scope' | 'display' | 'created_at', string> &
      Record<'last_used_at' | 'expires_at' | 'revoked_at', string | null>
  >(
    `select k.id, u.email, k.name, k.scope, k.first_characters || '…' || k.last_characters as display,
       k.created_at, k.last_used_at, k.expires_at, k.revoked_at
     from api_keys k join users u on u.id = k.user_id
     where $1::uuid is null or k.user_id = $1
     order by k.created_at desc, k.id desc`,
    [userId ?? null],
  );
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    scope: row.scope,
    display: row.display,
    createdAt: new Date(row.created_at),
    lastUsedAt: toDate(row.last_used_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: toDate(row.revoked_at),
  }));
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
