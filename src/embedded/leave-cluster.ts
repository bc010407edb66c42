import type { DataDir } from '#src/embedded/data-dir.ts';
import { withFileLock } from '#src/embedded/file-lock.ts';
import { areOthersPresent, type Presence } from '#src/embedded/presence.ts';
import { stopPostmaster } from '#src/embedded/stop-postmaster.ts';

/** Ends a presence; the last one out stops the cluster. */
export async function leaveCluster(dataDir: DataDir, presence: Presence): Promise<void> {
  presence.socket.ref();
  try {
    await withFileLock(dataDir, async () => {
      if (await isLast(presence)) await stopPostmaster(dataDir.pgData);
      // Gone before the lock is: who leaves next must not take this one for somebody who stays.
      await presence.client.end();
    });
  } finally {
    await presence.client.end();
  }
}

async function isLast({ client, socket }: Presence): Promise<boolean> {
  try {
    return !(await areOthersPresent(client));
  } catch (error) {
    // PostgreSQL ended on its own while we were leaving. Who still needs it starts it again, and stops it.
    if (socket.destroyed) return false;
    throw error;
  }
}
