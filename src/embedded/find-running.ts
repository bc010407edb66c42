import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readPostmasterFile } from '#src/embedded/postmaster-file.ts';

/** Where the embedded database under `dataDir` is reached if it runs already. Starts nothing, makes nothing. */
export async function findRunning(dataDir: string): Promise<string | undefined> {
  const folder = await realpath(dataDir);
  const server = await readPostmasterFile(join(folder, 'postgres'));
  if (!server?.ready) return undefined;
  const { password }: { password?: unknown } = JSON.parse(
    await readFile(join(folder, 'postgres.json'), 'utf8'),
  );
  return typeof password === 'string'
    ? `postgresql://finance:${password}@127.0.0.1:${server.port}/finance`
    : undefined;
}
