import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readPostmasterFile } from '#src/embedded/postmaster-file.ts';
import { isPostmasterOf } from '#src/embedded/processes.ts';
import { errorCode } from '#src/kernel/error-code.ts';

export interface ClusterState {
  /** PostgreSQL's major version; undefined as long as there is no cluster. */
  version: string | undefined;
  /** While it runs. */
  port?: number;
  pid?: number;
}

/** How the embedded database stands, without taking part in it. */
export async function readClusterState(dataDir: string): Promise<ClusterState> {
  const pgData = join(await realpath(dataDir).catch(() => dataDir), 'postgres');
  const version = await readVersion(pgData);
  const file = version === undefined ? undefined : await readPostmasterFile(pgData);
  if (!file || !(await isPostmasterOf(file.pid, pgData))) return { version };
  return { version, port: file.port, pid: file.pid };
}

async function readVersion(pgData: string): Promise<string | undefined> {
  try {
    return (await readFile(join(pgData, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    // Root's cluster belongs to another user.
    if (code === 'EACCES') return 'of another user';
    throw error;
  }
}
