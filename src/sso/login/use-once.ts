import { named } from '#src/kernel/statement.ts';
import type { Runtime, Work } from '#src/kernel/work.ts';
import type { Identity, OneTimeProof } from '#src/sso/connector.ts';
import { PENDING_MINUTES } from '#src/sso/login/pending-login.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { hasEnded } from '#src/sso/logout/remember-ending.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/**
 * Marks a proof of a provider as used, together with what it proves; whichever process comes first has it. False: it
 * has been used before.
 */
export async function useOnce(
  work: Work,
  provider: string,
  { id, expiresAt }: OneTimeProof,
): Promise<boolean> {
  const accepted = await work.sql(
    `insert into used_assertions (provider, assertion_id, expires_at) values ($1, $2, $3)
     on conflict do nothing returning 1 as one`,
    [provider, id, expiresAt],
  );
  return accepted.length > 0;
}

/** Whether a proof of a provider is on record as used; that it is not, promises nothing. */
export async function wasUsed(
  { pool, config }: Runtime,
  provider: string,
  { id }: OneTimeProof,
): Promise<boolean> {
  const { rows } = await pool.query({
    ...named(config, 'was_used'),
    text: 'select 1 as one from used_assertions where provider = $1 and assertion_id = $2',
    values: [provider, id],
  });
  return rows.length > 0;
}

/**
 * Uses up what proved an identity, where that counts once. Throws `LoginRefused` when it has been used before, or the
 * provider has ended the session since.
 */
export async function requireUnused(
  work: Work,
  { id }: Provider,
  { assertion, subject, tokens }: Pick<Identity, 'assertion' | 'subject' | 'tokens'>,
): Promise<void> {
  if (!assertion) return;
  if (!(await useOnce(work, id, assertion))) throw new LoginRefused('assertion_replayed');
  const { issuedAt } = assertion;
  if (issuedAt !== undefined && (await hasEnded(work, id, { subject, sid: tokens?.sid, issuedAt }))) {
    throw new LoginRefused('session_ended');
  }
}

/** For `tidy`: proofs this old are refused for their age, and what they proved in time is waited for no longer. */
export const EXPIRED_PROOFS = `delete from used_assertions where (provider, assertion_id) in (
  select provider, assertion_id from used_assertions
  where expires_at < now() - interval '${PENDING_MINUTES} minutes' limit 1000 for update skip locked)`;
