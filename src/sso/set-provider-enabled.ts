import type { Work } from '#src/kernel/work.ts';
import { type ProviderUpdate, type UpdatedProvider, updateProvider } from '#src/sso/update-provider.ts';

export interface ProviderSwitch extends Omit<ProviderUpdate, 'changes' | 'version'> {
  enabled: boolean;
}

/** Shows or hides a provider; one that is hidden cannot finish a sign-in under way either. */
export async function setProviderEnabled(
  work: Work,
  { enabled, ...update }: ProviderSwitch,
): Promise<UpdatedProvider> {
  return updateProvider(work, { ...update, changes: { enabled } });
}
