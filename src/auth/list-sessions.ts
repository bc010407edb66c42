import type { Work } from '#src/kernel/work.ts';

export interface SessionRow {
  id: string;
  /** The identity provider it came through; null for a password. */
  provider: string | null;
  ipAddress: string | null;
  userAgent: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

export interface SessionFilter {
  userId: string;
  /** A session is over after so many. */
  idleMinutes: number;
}

/** A user's sessions that are not over, last used first. */
export async function listSessions(
  work: Work,
  { userId, idleMinutes }: SessionFilter,
): Promise<SessionRow[]> {
  const rows = await work.sql<
    Record<'id' | 'created_at' | 'last_seen_at' | 'expires_at', string> &
      Record<'provider' | 'ip_address' | 'user_agent', string | null>
  >(
    `select id, provider, ip_address, user_agent, created_at, last_seen_at, expires_at from sessions
     where user_id = $1 and expires_at > now() and last_seen_at > now() - make_interval(mins => $2::integer)
     order by last_seen_at desc, id desc`,
    [userId, idleMinutes],
  );
  return rows.map((row) => ({
    id: row.id,
    provider: row.provider,
    ipAddress: row.ip_address,
    userAgent: row.user_agent,
    createdAt: new Date(row.created_at),
    lastSeenAt: new Date(row.last_seen_at),
    expiresAt: new Date(row.expires_at),
  }));
}
