import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterSettings, loadSettings } from '#src/embedded/cluster-settings.ts';
import type { DataDir } from '#src/embedded/data-dir.ts';
import { ensureDatabase } from '#src/embedded/ensure-database.ts';
import { readPostmasterFile } from '#src/embedded/postmaster-file.ts';
import { openPresence, type Presence } from '#src/embedded/presence.ts';
import { isPostmasterOf } from '#src/embedded/processes.ts';
import { startPostmaster } from '#src/embedded/start-postmaster.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

const PATIENCE_MS = 60_000;
const INVALID_PASSWORD = '28P01';

export interface Entered {
  presence: Presence;
  settings: ClusterSettings;
}

/** Becomes present in the cluster, starting it when it does not run. Only for the holder of the lock. */
export async function enterCluster(dataDir: DataDir, requiredPort: number | undefined): Promise<Entered> {
  const settings = await loadSettings(dataDir);
  const deadline = performance.now() + PATIENCE_MS;
  let lastError: unknown;
  while (performance.now() < deadline) {
    const file = await readPostmasterFile(dataDir.pgData);
    try {
      if (file?.ready) return { presence: await enterRunning(file.port, settings), settings };
    } catch (error) {
      lastError = error;
    }
    if (file && (await isPostmasterOf(file.pid, dataDir.pgData))) {
      refuseWrongPassword(lastError, dataDir);
      // It starts, recovers or stops: wait for the end of that.
      await sleep(15);
    } else {
      await startPostmaster(dataDir, settings, { requiredPort, deadline });
    }
  }
  throw tooSlow(dataDir, lastError);
}

async function enterRunning(port: number, settings: ClusterSettings): Promise<Presence> {
  const presence = await openPresence(port, settings.superuserPassword);
  try {
    await ensureDatabase(presence.client, settings.password);
    return presence;
  } catch (error) {
    await presence.client.end();
    throw error;
  }
}

function refuseWrongPassword(error: unknown, { settingsFile, pgData }: DataDir): void {
  if (errorCode(error) !== INVALID_PASSWORD) return;
  throw new AppError('configuration_invalid', `The password in ${settingsFile} is not that of ${pgData}`, {
    hint: 'Restore postgres.json and the postgres folder from the same backup.',
    cause: error,
  });
}

function tooSlow({ logFile }: DataDir, cause: unknown): AppError {
  return new AppError(
    'service_unavailable',
    `The embedded database is not ready after ${PATIENCE_MS / 1000} seconds`,
    {
      hint: `It may still be recovering from a crash: try again, and see ${logFile}.`,
      cause,
    },
  );
}
