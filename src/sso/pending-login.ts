import { tidy } from '#src/kernel/tidy.ts';
import { tokenDigest } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { LoginSecrets } from '#src/sso/connector.ts';

/** What the person sent away will do when they come back: sign in, connect the account they are in, or only look. */
export type LoginPurpose = 'login' | 'link' | 'try';

/** A browser sent to an identity provider and not yet back. */
export interface PendingLogin {
  /** The provider's id. */
  provider: string;
  purpose: LoginPurpose;
  /** Who connects or tries. */
  userId: string | null;
  redirectUri: string;
  secrets: LoginSecrets;
  /** Who was asked: a code is only ever sent where its login began. */
  askedAt: string;
  returnTo: string | null;
}

interface Proof {
  /** Goes to the provider and comes back. */
  state: string;
  /** Stays with the browser, in its cookie. */
  browser: string;
}

/** How long somebody may take at an identity provider, or to confirm with a password. */
export const PENDING_MINUTES = 10;

const EXPIRED = `delete from pending_logins where digest in
  (select digest from pending_logins where expires_at < now() limit 1000 for update skip locked)`;

/** Keeps a login that begins; only digests of what proves it. */
export async function rememberLogin(
  runtime: Runtime,
  { state, browser }: Proof,
  login: PendingLogin,
): Promise<void> {
  await runtime.pool.query(
    `insert into pending_logins
       (digest, browser_digest, provider, purpose, user_id, secrets, return_to, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, now(), now() + make_interval(mins => $8::integer))`,
    [
      tokenDigest(state),
      tokenDigest(browser),
      login.provider,
      login.purpose,
      login.userId,
      { ...login.secrets, redirectUri: login.redirectUri, askedAt: login.askedAt },
      login.returnTo,
      PENDING_MINUTES,
    ],
  );
  tidy(runtime, EXPIRED);
}

interface Row {
  provider: string;
  purpose: LoginPurpose;
  user_id: string | null;
  secrets: Record<string, string>;
  return_to: string | null;
  mine: boolean;
  live: boolean;
}

/** Takes a login that comes back: once, in time, and by the browser that started it. Undefined otherwise. */
export async function takePendingLogin(
  { pool }: Runtime,
  { state, browser }: Proof,
): Promise<PendingLogin | undefined> {
  const digest = tokenDigest(state);
  const browserDigest = tokenDigest(browser);
  if (!digest || !browserDigest) return undefined;
  const { rows } = await pool.query<Row>(
    `delete from pending_logins where digest = $1 and purpose <> 'confirm'
     returning provider, purpose, user_id, secrets, return_to, browser_digest = $2 as mine, expires_at > now() as live`,
    [digest, browserDigest],
  );
  const [row] = rows;
  if (!row?.mine || !row.live) return undefined;
  const { redirectUri = '', askedAt = '', ...secrets } = row.secrets;
  const { provider, purpose, user_id: userId, return_to: returnTo } = row;
  return { provider, purpose, userId, redirectUri, askedAt, secrets, returnTo };
}
