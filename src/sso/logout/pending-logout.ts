import { tidy } from '#src/kernel/tidy.ts';
import { tokenDigest } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { PENDING_MINUTES } from '#src/sso/login/pending-login.ts';

/** A sign-out that waits for what the provider answers. */
export interface PendingLogout {
  /** The provider's id. */
  provider: string;
  /** What the answer has to name. */
  requestId: string;
}

const EXPIRED = `delete from pending_logins where digest in (
  select digest from pending_logins where purpose = 'logout' and expires_at < now() limit 1000
  for update skip locked)`;

/** Keeps a sign-out that goes on at the provider, under what the browser carries there and back. */
export async function rememberLogout(
  runtime: Runtime,
  state: string,
  { provider, requestId }: PendingLogout,
): Promise<void> {
  // The answer may come where no cookie of ours does, and decides nothing: no browser is bound to it.
  await runtime.pool.query(
    `insert into pending_logins
       (digest, browser_digest, provider, purpose, secrets, created_at, expires_at)
     values ($1, $1, $2, 'logout', $3, now(), now() + make_interval(mins => $4::integer))`,
    [tokenDigest(state), provider, { requestId }, PENDING_MINUTES],
  );
  tidy(runtime, EXPIRED);
}

/** Takes a sign-out whose answer has come: once, and in time. Undefined otherwise. */
export async function takePendingLogout(
  { pool }: Pick<Runtime, 'pool'>,
  state: string,
): Promise<PendingLogout | undefined> {
  const digest = tokenDigest(state);
  if (!digest) return undefined;
  const { rows } = await pool.query<{ provider: string; request_id: string; live: boolean }>(
    `delete from pending_logins where digest = $1 and purpose = 'logout'
     returning provider, secrets ->> 'requestId' as request_id, expires_at > now() as live`,
    [digest],
  );
  const [row] = rows;
  return row?.live ? { provider: row.provider, requestId: row.request_id } : undefined;
}
