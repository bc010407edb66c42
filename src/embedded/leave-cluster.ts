import type { DataDir } from '#src/embedded/data-dir.ts';
import { withFileLock } from '#src/embedded/file-lock.ts';
import { areOthersPresent, type Presence } from '#src/embedded/presence.ts';
import { stopPostmaster } from '#src/embedded/stop-postmaster.ts';

/** Ends a presence; the last one out stops the cluster. */
export async function leaveCluster(dataDir: DataDir, { client }: Presence): Promise<void> {
  client.ref();
  try {
    await withFileLock(dataDir, async () => {
      if (!(await areOthersPresent(client))) await stopPostmaster(dataDir.pgData);
    });
  } finally {
    await client.end();
  }
}
