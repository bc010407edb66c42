import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';
import { findSyncable } from '#src/sso/roles/find-syncable.ts';
import { mapRoles } from '#src/sso/roles/map-roles.ts';
import { defaultRole } from '#src/sso/roles/sync-role.ts';
import type { Role } from '#src/users/role.ts';
import type { User } from '#src/users/user.entity.ts';

/**
 * The role that the next sign-in gives somebody, if the provider says what it said last, and the name of that provider.
 * Undefined where no provider decides it.
 */
export async function foreseeRole(
  work: Work,
  entries: readonly ProviderEntry[],
  user: User,
): Promise<{ provider: string; role: Role } | undefined> {
  const syncable = await lookUpSyncable(work, entries, user.id);
  if (!syncable) return undefined;
  const { provider, identity } = syncable;
  const decision = mapRoles(provider.roleMapping, identity);
  if (decision.kind === 'no_rules') return undefined;
  const role = decision.kind === 'matched' ? decision.role : await defaultRole(work, user, provider);
  return { provider: provider.name, role };
}

async function lookUpSyncable(work: Work, entries: readonly ProviderEntry[], user: string) {
  try {
    return await findSyncable(work, entries, { user });
  } catch (error) {
    // Connected with nothing that can be used, or what is stored cannot be opened.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
