import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import { findProvider } from '#src/sso/providers/find-provider.ts';
import { listStranded, requireWayIn, type WayInPolicy } from '#src/sso/providers/require-way-in.ts';

export interface ProviderDeletion {
  /** Name or id. */
  provider: string;
  policy: WayInPolicy;
  /** Also when it is somebody's only way in. */
  force?: boolean | undefined;
}

/** What goes with a provider. */
export interface ProviderDeparture {
  id: string;
  name: string;
  /** Users who are connected with it. */
  linked: number;
  /** Emails of those who have no other way in. */
  stranded: string[];
}

/** What `deleteProvider` would take along, for the question before. */
export async function previewProviderDeletion(
  work: Work,
  { provider: reference, policy }: Omit<ProviderDeletion, 'force'>,
): Promise<ProviderDeparture> {
  const { id, name } = await findProvider(work, reference);
  const [linked] = await work.sql<{ count: number }>(
    'select count(*)::integer as count from identities where provider = $1',
    [id],
  );
  const stranded = await listStranded(work, id, policy);
  return { id, name, linked: linked?.count ?? 0, stranded: stranded.map(({ email }) => email) };
}

/**
 * Removes a provider with its secrets, and who people are there: another provider of the same name later is not the same,
 * and its subjects are other people.
 */
export async function deleteProvider(
  work: Work,
  { provider: reference, policy, force = false }: ProviderDeletion,
): Promise<ProviderDeparture> {
  const stored = await findProvider(work, reference);
  if (isWayIn(stored, policy)) await requireWayIn(work, stored, policy, force);
  const departure = await previewProviderDeletion(work, { provider: stored.id, policy });

  await work.sql('delete from identities where provider = $1', [stored.id]);
  for (const table of [
    'sessions',
    'pending_logins',
    'blocked_identities',
    'used_assertions',
    'provider_metadata',
  ]) {
    await work.sql(`delete from ${table} where provider = $1`, [stored.id]);
  }
  recordAuditEvent(work, 'provider_deleted', {
    provider: stored.name,
    metadata: { provider_id: stored.id, strategy: stored.strategy, unlinked: departure.linked },
  });
  work.em.remove(stored);
  await work.em.flush();
  return departure;
}

/** While the file is in use, it is one of the file whose identities would go. */
function isWayIn({ id, enabled }: { id: string; enabled: boolean }, { fileEntries }: WayInPolicy): boolean {
  return fileEntries ? fileEntries.some((entry) => entry.id === id && entry.enabled) : enabled;
}
