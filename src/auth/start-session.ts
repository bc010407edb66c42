import { randomUUIDv7 } from 'node:crypto';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { Work } from '#src/kernel/work.ts';

export interface NewSession {
  userId: string;
  /** Hours until it ends whatever happens. */
  lifetimeHours: number;
  /** The identity provider it came through; none for a password. */
  provider?: string | undefined;
}

/** Lets a user in: the token is for the cookie, the database keeps its digest. */
export async function startSession(
  work: Work,
  { userId, lifetimeHours, provider }: NewSession,
): Promise<string> {
  const token = newToken();
  const { ipAddress = null, userAgent = null } = work.actor;
  // The database's clock decides: all processes read sessions by it.
  await work.sql(
    `insert into sessions (id, digest, user_id, provider, ip_address, user_agent, created_at, last_seen_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, now(), now(), now() + make_interval(hours => $7::integer))`,
    [randomUUIDv7(), tokenDigest(token), userId, provider ?? null, ipAddress, userAgent, lifetimeHours],
  );
  return token;
}

/** For `tidy`: sessions that nobody can use any more. */
export const ENDED_SESSIONS = `delete from sessions where id in (
  select id from sessions where expires_at < now() limit 1000 for update skip locked)`;
