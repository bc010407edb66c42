import { newId } from '#src/kernel/new-id.ts';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { Work } from '#src/kernel/work.ts';

export interface NewSession {
  userId: string;
  /** Hours until it ends whatever happens. */
  lifetimeHours: number;
  /** How the user came in; none for a password. */
  federated?: FederatedSession | undefined;
}

/** A session that began at an identity provider. */
interface FederatedSession {
  /** The provider's id. */
  provider: string;
  identityId: string;
  /** The provider's own session (`sid`), where it tells. */
  idpSessionId?: string | undefined;
  /** Whether the provider wants to know when the user leaves. */
  idpLogout: boolean;
}

/** Lets a user in: the token is for the cookie, the database keeps its digest. */
export async function startSession(
  work: Work,
  { userId, lifetimeHours, federated }: NewSession,
): Promise<string> {
  const token = newToken();
  const { ipAddress = null, userAgent = null } = work.actor;
  // The database's clock decides: all processes read sessions by it.
  await work.sql(
    `insert into sessions
       (id, digest, user_id, ip_address, user_agent, provider, identity_id, idp_session_id, idp_logout,
        created_at, last_seen_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), now(), now() + make_interval(hours => $10::integer))`,
    [
      newId(),
      tokenDigest(token),
      userId,
      ipAddress,
      userAgent,
      federated?.provider ?? null,
      federated?.identityId ?? null,
      federated?.idpSessionId ?? null,
      federated?.idpLogout ?? false,
      lifetimeHours,
    ],
  );
  return token;
}

/** For `tidy`: sessions that nobody can use any more. */
export const ENDED_SESSIONS = `delete from sessions where id in (
  select id from sessions where expires_at < now() limit 1000 for update skip locked)`;
