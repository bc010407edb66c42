import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataDir, giveToOwner } from '#src/embedded/data-dir.ts';
import { AppError } from '#src/kernel/errors.ts';

const SQLITE_BUSY = 5;

/**
 * Runs a task while no other process runs one on the same folder. SQLite's exclusive transaction is a lock of the kernel:
 * it ends with the process that holds it, whatever ends that process, so it can never be stale.
 */
export async function withFileLock<T>(
  dataDir: DataDir,
  task: () => Promise<T>,
  timeoutMs = 60_000,
): Promise<T> {
  const lock = await openLock(dataDir);
  try {
    await acquire(lock, dataDir, timeoutMs);
    return await task();
  } finally {
    lock.close();
  }
}

async function openLock(dataDir: DataDir): Promise<DatabaseSync> {
  try {
    const file = await open(dataDir.lockFile, 'a', 0o600);
    await file.close();
    await giveToOwner(dataDir.lockFile, dataDir.owner);
    return new DatabaseSync(dataDir.lockFile, { timeout: 0 });
  } catch (cause) {
    throw unusable(dataDir, cause);
  }
}

async function acquire(lock: DatabaseSync, dataDir: DataDir, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!tryAcquire(lock, dataDir)) {
    if (performance.now() > deadline) {
      throw new AppError('service_unavailable', `Another process has held ${dataDir.lockFile} for too long`, {
        hint: 'Look for a financectl or finance-server that hangs while starting or stopping the embedded database, and end it.',
      });
    }
    await sleep(25);
  }
}

function tryAcquire(lock: DatabaseSync, dataDir: DataDir): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY) return false;
    throw unusable(dataDir, cause);
  }
}

function unusable(dataDir: DataDir, cause: unknown): AppError {
  return new AppError(
    'configuration_invalid',
    `The lock file ${dataDir.lockFile} cannot be used: ${String(cause)}`,
    {
      hint: 'Run as the owner of DATA_DIR. If the file is damaged, delete it; it holds nothing.',
      cause,
    },
  );
}
