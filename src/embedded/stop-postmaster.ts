import { setTimeout as sleep } from 'node:timers/promises';
import { readPostmasterFile } from '#src/embedded/postmaster-file.ts';
import { isPostmasterOf, isRunning } from '#src/embedded/processes.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

/** Ends the cluster and returns when it is gone. Only for the holder of the lock. */
export async function stopPostmaster(pgData: string): Promise<void> {
  const file = await readPostmasterFile(pgData);
  if (!file || !(await isPostmasterOf(file.pid, pgData))) return;
  // PostgreSQL's "fast" shutdown, then the "immediate" one, which recovery repairs at the next start.
  if (await endedBy('SIGINT', file.pid, 20_000)) return;
  if (await endedBy('SIGQUIT', file.pid, 10_000)) return;
  throw new AppError('service_unavailable', `The embedded database (process ${file.pid}) does not stop`, {
    hint: `Look into postgres.log in DATA_DIR, and end the process.`,
  });
}

async function endedBy(signal: NodeJS.Signals, pid: number, patienceMs: number): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return true;
    throw error;
  }
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    if (!isRunning(pid)) return true;
    await sleep(10);
  }
  return false;
}
