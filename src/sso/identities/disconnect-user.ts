import type { Work } from '#src/kernel/work.ts';
import { unlinkIdentity } from '#src/sso/identities/unlink-identity.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';
import type { LocalLoginPolicy } from '#src/sso/providers/require-way-in.ts';
import { findUserRow } from '#src/users/find-user-row.ts';

export interface Disconnection {
  /** Email or id. */
  user: string;
  identityId: string;
  /** All providers, those that are off included. */
  entries: readonly ProviderEntry[];
  policy: LocalLoginPolicy;
  /** A session that goes on: of an administrator who disconnects an account of their own. */
  sessionId?: string | undefined;
}

/** Disconnects somebody else's account at a provider, under the same rule as they could themselves. */
export async function disconnectUser(
  work: Work,
  { user: reference, identityId, entries, policy, sessionId }: Disconnection,
): Promise<void> {
  const { id: userId, hasPassword, role } = await findUserRow(work, { user: reference });
  const { localLogin, adminOverride } = policy;
  await unlinkIdentity(work, {
    userId,
    identityId,
    sessionId,
    passwordWorks: hasPassword && (localLogin || (adminOverride && role === 'super_admin')),
    usableProviders: entries.filter(({ enabled, provider }) => enabled && provider).map(({ id }) => id),
    nameOf: (provider) => entries.find(({ id }) => id === provider)?.name ?? provider,
  });
}
