import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import { findProvider } from '#src/sso/providers/find-provider.ts';
import { StoredProvider } from '#src/sso/providers/provider.entity.ts';
import { requireWayIn } from '#src/sso/providers/require-way-in.ts';
import { tryOpenProvider } from '#src/sso/providers/seal-provider.ts';
import { type ProviderUpdate, updateProvider } from '#src/sso/providers/update-provider.ts';

export interface ProviderSwitch extends Omit<ProviderUpdate, 'changes' | 'version'> {
  enabled: boolean;
}

export interface SwitchedProvider {
  id: string;
  name: string;
  /** False: it was so already. */
  isChanged: boolean;
}

/** Shows or hides a provider; one that is hidden cannot finish a sign-in under way either. */
export async function setProviderEnabled(
  work: Work,
  { enabled, ...update }: ProviderSwitch,
): Promise<SwitchedProvider> {
  if (!enabled) return disable(work, update);
  const { provider, changed } = await updateProvider(work, { ...update, changes: { enabled } });
  return { id: provider.id, name: provider.name, isChanged: changed.length > 0 };
}

/** Whatever is stored, and whether or not its secrets can be read: what does not work is nobody's way in. */
async function disable(
  work: Work,
  { provider: reference, policy, force = false }: Omit<ProviderSwitch, 'enabled'>,
): Promise<SwitchedProvider> {
  const { id } = await findProvider(work, reference);
  await work.sql('select 1 from sso_providers where id = $1 for update', [id]);
  const stored = await work.em.findOneOrFail(StoredProvider, { id }, { refresh: true });
  const { name } = stored;
  if (!stored.enabled) return { id, name, isChanged: false };
  if (!policy.fileEntries && tryOpenProvider(work.cipher, stored)) {
    await requireWayIn(work, stored, policy, force);
  }
  stored.enabled = false;
  recordAuditEvent(work, 'provider_disabled', { provider: name, metadata: { provider_id: id } });
  await work.em.flush();
  return { id, name, isChanged: true };
}
