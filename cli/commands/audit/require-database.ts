import type { Host } from '#cli/host.ts';

/**
 * Throws `configuration_invalid` where an embedded database would be made just to find it empty: whoever runs this by
 * cron would never learn that it does nothing for the database that is meant.
 */
export async function requireDatabase(host: Host): Promise<void> {
  const { database, dataDir } = host.config();
  if (database.url) return;
  const [{ readClusterState }, { AppError }] = await Promise.all([
    import('#src/embedded/cluster-state.ts'),
    import('#src/kernel/errors.ts'),
  ]);
  if ((await readClusterState(dataDir)).version !== undefined) return;
  throw new AppError(
    'configuration_invalid',
    `DATABASE_URL is not set, and there is no embedded database in ${dataDir}`,
    { hint: 'Cron has no environment of its own: give it DATABASE_URL, DATA_DIR or --config.' },
  );
}
