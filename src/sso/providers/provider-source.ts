import type { ProviderSourceName, SsoConfig } from '#src/kernel/config.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** A provider as it is configured, whether it can work or not. */
export interface ProviderEntry {
  id: string;
  name: string;
  strategy: string;
  label: string;
  enabled: boolean;
  origin: ProviderSourceName;
  /** Undefined when it cannot work. */
  provider?: Provider | undefined;
  /** Why it cannot work, without any secret. */
  problem?: string | undefined;
  /** Set when nobody means to use it yet: none of the variables it is made of is set. */
  isUnused?: true | undefined;
}

/** Those that somebody means to use and that cannot work. */
export function listUnusable(entries: readonly ProviderEntry[]): ProviderEntry[] {
  return entries.filter(({ enabled, provider, isUnused }) => enabled && !provider && !isUnused);
}

/** Where providers come from. Only those that are enabled and can work have a button and may be used to sign in. */
export interface ProviderSource {
  /** Those of the database by name, those of the file in its order. */
  list(): Promise<ProviderEntry[]>;
  lookUpByName(name: string): Promise<ProviderEntry | undefined>;
  lookUpById(id: string): Promise<ProviderEntry | undefined>;
}

/**
 * The source that the settings choose, and never the other one. The file is read here, once; the database is asked each
 * time, so that a change made in any process holds at once. Throws `configuration_invalid` when the file cannot be read.
 */
export async function openProviderSource(
  runtime: Pick<Runtime, 'config' | 'pool' | 'cipher'>,
  sso: SsoConfig = runtime.config.sso,
): Promise<ProviderSource> {
  if (sso.source === 'database') {
    const { databaseSource } = await import('#src/sso/providers/sources/database.ts');
    return databaseSource(runtime);
  }
  const { yamlSource } = await import('#src/sso/providers/sources/yaml.ts');
  return yamlSource(sso);
}
