import { openDataDir } from '#src/embedded/data-dir.ts';
import { enterCluster } from '#src/embedded/enter-cluster.ts';
import { withFileLock } from '#src/embedded/file-lock.ts';
import { keepPresence, type Notice } from '#src/embedded/keep-presence.ts';
import { leaveCluster } from '#src/embedded/leave-cluster.ts';

export interface EmbeddedDatabaseOptions {
  dataDir: string;
  port?: number | undefined;
  notice?: Notice | undefined;
}

export interface EmbeddedDatabase {
  /** As the role that owns the database `finance` and nothing else. */
  connectionString: string;
  superuserConnectionString: string;
  /** Stops PostgreSQL when no other process uses it. Close your own connections first. */
  release(): Promise<void>;
}

/** Starts the PostgreSQL under `dataDir`, or joins it when another process has; keeps it running until released. */
export async function joinEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const notice = options.notice ?? (() => undefined);
  const dataDir = await openDataDir(options.dataDir);
  const enter = (port: number | undefined) => withFileLock(dataDir, () => enterCluster(dataDir, port));

  const { presence, settings } = await enter(options.port);
  const keeper = keepPresence(presence, async (port) => (await enter(port)).presence, notice);
  let released: Promise<void> | undefined;

  const { port } = presence;
  if (options.port !== undefined && options.port !== port) {
    notice('embedded_database_port_differs', { port, wanted: options.port });
  }
  return {
    connectionString: `postgresql://finance:${settings.password}@127.0.0.1:${port}/finance`,
    superuserConnectionString: `postgresql://postgres:${settings.superuserPassword}@127.0.0.1:${port}/postgres`,
    release: () => (released ??= release()),
  };

  async function release(): Promise<void> {
    const held = await keeper.handOver();
    if (held) await leaveCluster(dataDir, held);
  }
}
