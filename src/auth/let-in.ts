import { auditEntry } from '#src/audit/record-audit-event.ts';
import type { LocalLogin } from '#src/auth/local-login.ts';
import { newId } from '#src/kernel/new-id.ts';
import { runStatement } from '#src/kernel/statement.ts';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { Actor, Runtime, Work } from '#src/kernel/work.ts';

/** Somebody whose password is right. */
export interface Verified {
  userId: string;
  /** What the password was verified against. */
  digest: string;
  policy: LocalLogin;
}

/** Somebody whom an identity provider vouches for. */
export interface Vouched {
  userId: string;
  identityId: string;
  provider: { id: string; name: string; strategy: string };
  /** The provider's own session, where it tells. */
  idpSessionId: string | undefined;
  /** Whether the provider wants to know when the user leaves. */
  idpLogout: boolean;
  lifetimeHours: number;
}

/**
 * One statement, because people sign in all at once in the morning: after a look whether all of it still holds, the
 * session and its entry in the audit log. A suspension at this moment waits, and then finds the session.
 */
const LET_IN = {
  name: 'let_in',
  text: `with person as materialized (
  select id from users
  where id = $1 and suspended_at is null and ($2::text is null or password_digest = $2)
    and ($3::boolean or role = 'super_admin')
  for share
), session as (
  insert into sessions
    (id, digest, user_id, ip_address, user_agent, provider, identity_id, idp_session_id, idp_logout,
     created_at, last_seen_at, expires_at)
  select $4::uuid, $5::bytea, id, $6::text, $7::text, $8::text, $9::uuid, $10::text, $11::boolean,
    now(), now(), now() + make_interval(hours => $12::integer) from person
), event as (
  insert into audit_events
    (id, created_at, event_type, user_id, actor_id, actor_kind, provider, ip_address, user_agent, request_id, metadata)
  select $13::uuid, $14::timestamptz, 'login', id, id, 'web', $15::text, $6::text, $7::text, $16::text, $17::jsonb from person
)
select id from person`,
};

/** Starts the session of somebody whose password is right: its token, or undefined when they may not come in any more. */
export async function letIn(
  runtime: Runtime,
  actor: Actor,
  { userId, digest, policy }: Verified,
): Promise<string | undefined> {
  const { pool, config } = runtime;
  const override = policy === 'super_admins' && { override: true };
  const { token, values } = enter(actor, runtime.now(), {
    userId,
    digest,
    everybody: policy === 'everybody',
    lifetimeHours: config.session.lifetimeHours,
    metadata: { method: 'local', ...override },
  });
  const statement = config.database.namedStatements ? LET_IN : { ...LET_IN, name: '' };
  const rows = await runStatement(pool, statement, values);
  if (rows.length === 0) return undefined;
  runtime.tally.add('logins', { provider: 'local' });
  return token;
}

/** The same for somebody whom an identity provider vouches for, in the unit of work that has admitted them. */
export async function letInVouched(
  work: Work,
  { userId, provider, lifetimeHours, ...federated }: Vouched,
): Promise<string | undefined> {
  const { token, values } = enter(work.actor, work.now(), {
    userId,
    everybody: true,
    lifetimeHours,
    federated: { ...federated, provider },
    metadata: { method: provider.strategy, identity_id: federated.identityId },
  });
  const rows = await work.sql(LET_IN.text, values);
  if (rows.length === 0) return undefined;
  work.count('logins', { provider: provider.name });
  return token;
}

interface Entrance {
  userId: string;
  digest?: string;
  /** Whether others than super admins may come in. */
  everybody: boolean;
  lifetimeHours: number;
  metadata: Record<string, unknown>;
  federated?: Pick<Vouched, 'identityId' | 'provider' | 'idpSessionId' | 'idpLogout'>;
}

/** The token for the cookie, and the parameters of `LET_IN`: the database keeps a digest alone. */
function enter(actor: Actor, now: Date, { federated, ...entrance }: Entrance) {
  const token = newToken();
  const { createdAt, provider, ipAddress, userAgent, requestId, metadata } = auditEntry(actor, now, {
    eventType: 'login',
    provider: federated?.provider.name,
    metadata: entrance.metadata,
  });
  const values = [
    entrance.userId,
    entrance.digest ?? null,
    String(entrance.everybody),
    newId(),
    tokenDigest(token) ?? null,
    ipAddress,
    userAgent,
    federated?.provider.id ?? null,
    federated?.identityId ?? null,
    federated?.idpSessionId ?? null,
    String(federated?.idpLogout ?? false),
    entrance.lifetimeHours,
    newId(),
    createdAt.toISOString(),
    provider,
    requestId,
    JSON.stringify(metadata),
  ];
  return { token, values };
}
