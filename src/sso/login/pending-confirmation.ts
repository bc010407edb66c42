import type { Place } from '#src/kernel/cipher.ts';
import { newToken, tokenDigest } from '#src/kernel/token.ts';
import type { Runtime, Work } from '#src/kernel/work.ts';
import type { Identity } from '#src/sso/connector.ts';
import { PENDING_MINUTES } from '#src/sso/login/pending-login.ts';

/** An identity that came back proven, and waits for the owner of the account with its email to agree. */
export interface Confirmation {
  /** The provider's id. */
  provider: string;
  userId: string;
  identity: Identity;
  returnTo: string | null;
}

interface Proof {
  /** Stands in the address and in the form of the page that asks. */
  token: string;
  /** Stays with the browser, in its cookie. */
  browser: string;
}

/** Keeps the identity, encrypted, for this browser alone; answers with the token for the page. */
export async function rememberConfirmation(
  work: Work,
  { browser, ...confirmation }: Confirmation & { browser: string },
): Promise<string> {
  const token = newToken();
  const digest = tokenDigest(token);
  const identity = work.cipher.seal(JSON.stringify(confirmation.identity), placeOf(digest));
  await work.sql(
    `insert into pending_logins
       (digest, browser_digest, provider, purpose, user_id, secrets, return_to, created_at, expires_at)
     values ($1, $2, $3, 'confirm', $4, $5, $6, now(), now() + make_interval(mins => $7::integer))`,
    [
      digest,
      tokenDigest(browser),
      confirmation.provider,
      confirmation.userId,
      JSON.stringify({ identity }),
      confirmation.returnTo,
      PENDING_MINUTES,
    ],
  );
  return token;
}

const MINE = `digest = $1 and browser_digest = $2 and purpose = 'confirm' and expires_at > now()`;
const COLUMNS = `provider, user_id, secrets ->> 'identity' as identity, return_to`;

interface Row {
  provider: string;
  user_id: string;
  identity: string;
  return_to: string | null;
}

/** What waits for this browser under this token; a look takes nothing away. Undefined: nothing, or no longer. */
export async function lookUpConfirmation(
  { pool, cipher }: Runtime,
  { token, browser }: Proof,
): Promise<Confirmation | undefined> {
  const digests = [tokenDigest(token), tokenDigest(browser)];
  if (digests.includes(undefined)) return undefined;
  const { rows } = await pool.query<Row>(`select ${COLUMNS} from pending_logins where ${MINE}`, digests);
  const [row] = rows;
  return row && toConfirmation(row, cipher.open(row.identity, placeOf(digests[0])));
}

/** The same, and nobody gets it a second time. */
export async function takeConfirmation(
  work: Work,
  { token, browser }: Proof,
): Promise<Confirmation | undefined> {
  const digests = [tokenDigest(token), tokenDigest(browser)];
  if (digests.includes(undefined)) return undefined;
  const [row] = await work.sql<Row>(`delete from pending_logins where ${MINE} returning ${COLUMNS}`, digests);
  return row && toConfirmation(row, work.cipher.open(row.identity, placeOf(digests[0])));
}

function toConfirmation({ provider, user_id: userId, return_to: returnTo }: Row, json: string): Confirmation {
  const identity: Identity = JSON.parse(json);
  return { provider, userId, identity, returnTo };
}

function placeOf(digest: Buffer | undefined): Place {
  return { table: 'pending_logins', column: 'secrets.identity', row: digest?.toString('hex') ?? '' };
}
