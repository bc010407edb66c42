import { randomUUIDv7 } from 'node:crypto';
import { auditEntry } from '#src/audit/record-audit-event.ts';
import type { LocalLogin } from '#src/auth/local-login.ts';
import { runStatement } from '#src/kernel/statement.ts';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { Actor, Runtime } from '#src/kernel/work.ts';

export interface Verified {
  userId: string;
  /** What the password was verified against. */
  digest: string | null;
  policy: LocalLogin;
}

/**
 * One statement, and so one transaction, because people sign in all at once in the morning: after a look whether all of
 * it still holds, the session and its entry in the audit log.
 */
const LET_IN = {
  name: 'let_in',
  text: `with person as materialized (
  select id from users
  where id = $1 and password_digest = $2 and suspended_at is null and ($3 = 'everybody' or role = 'super_admin')
  for share
), session as (
  insert into sessions (id, digest, user_id, ip_address, user_agent, created_at, last_seen_at, expires_at)
  select $4, $5, id, $6, $7, now(), now(), now() + make_interval(hours => $8::integer) from person
), event as (
  insert into audit_events
    (id, created_at, event_type, user_id, actor_id, actor_kind, ip_address, user_agent, request_id, metadata)
  select $9, $10, 'login', id, id, 'web', $6, $7, $11, $12::jsonb from person
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
  const token = newToken();
  const override = policy === 'super_admins' && { override: true };
  const { createdAt, ipAddress, userAgent, requestId, metadata } = auditEntry(actor, runtime.now(), {
    eventType: 'login',
    metadata: { method: 'local', ...override },
  });
  const rows = await runStatement(pool, config.database.namedStatements ? LET_IN : { ...LET_IN, name: '' }, [
    userId,
    digest,
    policy,
    randomUUIDv7(),
    tokenDigest(token) ?? null,
    ipAddress,
    userAgent,
    config.session.lifetimeHours,
    randomUUIDv7(),
    createdAt.toISOString(),
    requestId,
    JSON.stringify(metadata),
  ]);
  if (rows.length === 0) return undefined;
  runtime.tally.add('logins', { provider: 'local' });
  return token;
}
