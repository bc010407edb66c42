import type { Place } from '#src/kernel/cipher.ts';
import { AppError } from '#src/kernel/errors.ts';
import { named } from '#src/kernel/statement.ts';
import { tidy } from '#src/kernel/tidy.ts';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { Identity, LoginSecrets } from '#src/sso/connector.ts';
import type { RefusalReason } from '#src/sso/login-refused.ts';

/** What the person sent away will do when they come back: sign in, connect the account they are in, or only look. */
export type LoginPurpose = 'login' | 'link' | 'try';

/** What came of a provider's answer that got here before the browser that waits for it could show who it is. */
export type LoginAnswer =
  | { identity: Identity }
  | { refusal: { reason: RefusalReason; detail?: string | undefined } };

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
  /** Kept encrypted; undefined: the connector is still to be asked. */
  answer?: LoginAnswer | undefined;
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

const REMEMBER = `insert into pending_logins
    (digest, browser_digest, provider, purpose, user_id, secrets, return_to, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now(), now() + make_interval(mins => $8::integer))`;

/** Keeps a login that begins; only digests of what proves it. */
export async function rememberLogin(
  runtime: Runtime,
  { state, browser }: Proof,
  login: PendingLogin,
): Promise<void> {
  const { redirectUri, askedAt, answer } = login;
  const digest = tokenDigest(state);
  const sealed = answer && sealAnswer(runtime, digest, answer);
  await runtime.pool.query({
    ...named(runtime.config, 'remember_login'),
    text: REMEMBER,
    values: [
      digest,
      tokenDigest(browser),
      login.provider,
      login.purpose,
      login.userId,
      {
        ...login.secrets,
        redirectUri,
        askedAt,
        ...(sealed !== undefined && { claimed: 'yes', answer: sealed }),
      },
      login.returnTo,
      PENDING_MINUTES,
    ],
  });
  tidy(runtime, EXPIRED);
}

const COLUMNS = 'provider, purpose, user_id, secrets, return_to';
const LOGINS = `purpose in ('login', 'link', 'try')`;

interface Row {
  provider: string;
  purpose: LoginPurpose;
  user_id: string | null;
  secrets: Record<string, string>;
  return_to: string | null;
}

/**
 * Claims a login for the one answer it gets, from the provider that was asked and before anybody reads that answer;
 * which browser began it is still to be shown. Undefined: nobody waits, or no longer.
 */
export async function claimPendingLogin(
  runtime: Runtime,
  { state, provider }: { state: string; provider: string },
): Promise<PendingLogin | undefined> {
  const digest = tokenDigest(state);
  if (!digest) return undefined;
  const { rows } = await runtime.pool.query<Row>({
    ...named(runtime.config, 'claim_login'),
    text: `update pending_logins set secrets = secrets || '{"claimed": "yes"}'
      where digest = $1 and provider = $2 and ${LOGINS} and expires_at > now() and secrets -> 'claimed' is null
      returning ${COLUMNS}`,
    values: [digest, provider],
  });
  return rows[0] && toPendingLogin(runtime, digest, rows[0]);
}

/**
 * Keeps what came of a claimed login's answer; answers with the state that gives it out. It is a new one: the old one is
 * known where the login began, which need not be the browser that brought the answer. Undefined: that browser has come
 * for it too early, and it is void.
 */
export async function keepLoginAnswer(
  runtime: Runtime,
  state: string,
  answer: LoginAnswer,
): Promise<string | undefined> {
  const next = newToken();
  const digest = tokenDigest(next);
  const { rowCount } = await runtime.pool.query({
    ...named(runtime.config, 'keep_login_answer'),
    text: `update pending_logins set digest = $2, secrets = secrets || jsonb_build_object('answer', $3::text)
      where digest = $1`,
    values: [tokenDigest(state), digest, sealAnswer(runtime, digest, answer)],
  });
  return rowCount === 1 ? next : undefined;
}

/**
 * Takes a login that comes back: once, in time, and by the browser that started it. Undefined otherwise; a trial, which
 * is no sign-in and goes on no record, is `forbidden` then.
 */
export async function takePendingLogin(
  runtime: Runtime,
  { state, browser }: Proof,
): Promise<PendingLogin | undefined> {
  const digest = tokenDigest(state);
  const browserDigest = tokenDigest(browser);
  if (!digest || !browserDigest) return undefined;
  const { rows } = await runtime.pool.query<Row & { mine: boolean; live: boolean }>({
    ...named(runtime.config, 'take_login'),
    text: `delete from pending_logins where digest = $1 and ${LOGINS}
      returning ${COLUMNS}, browser_digest = $2 as mine, expires_at > now() as live`,
    values: [digest, browserDigest],
  });
  const [row] = rows;
  if (row?.mine && row.live) return toPendingLogin(runtime, digest, row);
  if (row?.purpose === 'try') {
    throw new AppError('forbidden', 'This trial of a sign-in took too long, or was begun in another browser');
  }
  return undefined;
}

function toPendingLogin({ cipher }: Runtime, digest: Buffer, row: Row): PendingLogin {
  const { redirectUri = '', askedAt = '', claimed: _, answer, ...secrets } = row.secrets;
  const { provider, purpose, user_id: userId, return_to: returnTo } = row;
  const login = { provider, purpose, userId, redirectUri, askedAt, secrets, returnTo };
  return answer === undefined
    ? login
    : { ...login, answer: JSON.parse(cipher.open(answer, answerPlace(digest))) };
}

function sealAnswer({ cipher }: Runtime, digest: Buffer | undefined, answer: LoginAnswer): string {
  return cipher.seal(JSON.stringify(answer), answerPlace(digest));
}

function answerPlace(digest: Buffer | undefined): Place {
  return { table: 'pending_logins', column: 'secrets.answer', row: digest?.toString('hex') ?? '' };
}
