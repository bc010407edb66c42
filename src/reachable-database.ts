import type { Config } from '#src/kernel/config.ts';

/** The database as it is: the one that is configured, or the embedded one if it runs. Nothing is started or changed. */
export async function reachableDatabase({ database, dataDir }: Config): Promise<string | undefined> {
  if (database.url !== undefined) return database.url;
  const { findRunning } = await import('#src/embedded/find-running.ts');
  return findRunning(dataDir);
}
