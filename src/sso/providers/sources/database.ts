import { named } from '#src/kernel/statement.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ProviderEntry, ProviderSource } from '#src/sso/providers/provider-source.ts';
import { openProvider, type SealedProvider } from '#src/sso/providers/seal-provider.ts';

const COLUMNS = 'select id, name, strategy, label, enabled, settings, secrets from sso_providers';

const STATEMENTS = {
  list_providers: `${COLUMNS} order by name`,
  provider_by_name: `${COLUMNS} where name = $1`,
  provider_by_id: `${COLUMNS} where id = $1`,
};

/** A provider, and the row it was opened from: decrypting and reading takes longer than fetching and comparing. */
interface Opened {
  row: string;
  provider: Provider;
}

/** Providers of the database, as they are at each call. */
export function databaseSource({
  pool,
  config,
  cipher,
}: Pick<Runtime, 'config' | 'pool' | 'cipher'>): ProviderSource {
  const find = async (name: keyof typeof STATEMENTS, values: string[] = []): Promise<ProviderEntry[]> => {
    const { rows } = await pool.query<SealedProvider>({
      ...named(config, name),
      text: STATEMENTS[name],
      values,
    });
    return rows.map((row) => toEntry(row));
  };

  const opened = new Map<string, Opened>();
  const open = (sealed: SealedProvider): Provider => {
    const row = JSON.stringify(sealed);
    const known = opened.get(sealed.id);
    if (known?.row === row) return known.provider;
    const provider = openProvider(cipher, sealed);
    opened.set(sealed.id, { row, provider });
    return provider;
  };

  const toEntry = (row: SealedProvider): ProviderEntry => {
    const { id, name, strategy, label, enabled } = row;
    const entry = { id, name, strategy, label, enabled, origin: 'database' as const };
    try {
      return { ...entry, provider: open(row) };
    } catch (error) {
      return { ...entry, problem: error instanceof Error ? error.message : String(error) };
    }
  };

  return {
    list: () => find('list_providers'),
    lookUpByName: async (name) => (await find('provider_by_name', [name]))[0],
    lookUpById: async (id) => (await find('provider_by_id', [id]))[0],
  };
}
