import type { Work } from '#src/kernel/work.ts';
import type { Identity, OneTimeProof } from '#src/sso/connector.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/provider.ts';

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

/** Uses up what proved an identity, where that counts once. Throws `LoginRefused` when it has been used before. */
export async function requireUnused(
  work: Work,
  { id }: Provider,
  { assertion }: Pick<Identity, 'assertion'>,
): Promise<void> {
  if (assertion && !(await useOnce(work, id, assertion))) throw new LoginRefused('assertion_replayed');
}

/** For `tidy`: proofs this old are refused for their age. */
export const EXPIRED_PROOFS = `delete from used_assertions where (provider, assertion_id) in (
  select provider, assertion_id from used_assertions where expires_at < now() limit 1000 for update skip locked)`;
