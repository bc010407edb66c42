import { type ChildProcess, spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from '#src/embedded/binaries.ts';
import { CHILD_ENV } from '#src/embedded/child-env.ts';
import { choosePort } from '#src/embedded/choose-port.ts';
import { type ClusterSettings, saveSettings } from '#src/embedded/cluster-settings.ts';
import type { DataDir } from '#src/embedded/data-dir.ts';
import { initializeCluster } from '#src/embedded/initialize-cluster.ts';
import { chooseLauncher, type Launcher } from '#src/embedded/launcher.ts';
import { readPostmasterFile, removeBlankPostmasterFile } from '#src/embedded/postmaster-file.ts';
import { openServerLog, readServerLog } from '#src/embedded/server-log.ts';
import { AppError } from '#src/kernel/errors.ts';

const LOCK_FILE_EXISTS = ' F0001 ';

/**
 * Starts PostgreSQL and returns when it is ready, when it found another one in its place (so look again), or at the deadline.
 * Only for the holder of the lock, who has seen that the cluster does not run.
 */
export async function startPostmaster(
  dataDir: DataDir,
  settings: ClusterSettings,
  { requiredPort, deadline }: { requiredPort: number | undefined; deadline: number },
): Promise<void> {
  const port = await choosePort({ required: requiredPort, preferred: settings.port });
  const binaries = await findBinaries();
  const launcher = await chooseLauncher(dataDir, [binaries.initdb, binaries.postgres]);
  await initializeCluster(dataDir, settings, { binaries, launcher });
  if (port !== settings.port) await saveSettings(dataDir, Object.assign(settings, { port }));
  await removeBlankPostmasterFile(dataDir.pgData);

  const log = await openServerLog(dataDir);
  try {
    const { size } = await log.stat();
    const child = await spawnPostgres(binaries.postgres, launcher, { dataDir, port, log });
    const exited = await waitUntilReady(child, dataDir, deadline);
    if (exited) await explainExit(await readServerLog(log, size), launcher);
  } finally {
    await log.close();
  }
}

async function spawnPostgres(
  program: string,
  launcher: Launcher,
  { dataDir, port, log }: { dataDir: DataDir; port: number; log: FileHandle },
): Promise<ChildProcess> {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %e ',
    log_checkpoints: 'off',
    jit: 'off',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { file, args, identity } = launcher.command(program, ['-D', dataDir.pgData, ...options]);
  const env = { ...CHILD_ENV, ...(await excuseForeignProcess(dataDir.pgData)) };
  // A session of its own, so that Ctrl-C in the terminal of one user does not end it for all.
  const child = spawn(file, args, {
    ...identity,
    cwd: '/',
    detached: true,
    env,
    stdio: ['ignore', log.fd, log.fd],
  });
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  child.once('spawn', () => resolve(child));
  child.once('error', (cause) =>
    reject(
      new AppError('configuration_invalid', `${file} cannot be run: ${cause.message}`, {
        hint: launcher.hint,
        cause,
      }),
    ),
  );
  return promise;
}

/**
 * The number in postmaster.pid may belong to any process after a power loss, or to a zombie after a kill, and PostgreSQL
 * would take that for itself. This variable makes it overlook the number, but still refuse when orphaned backends use the shared memory.
 */
async function excuseForeignProcess(pgData: string): Promise<Record<string, string>> {
  const remnant = await readPostmasterFile(pgData);
  return remnant ? { PG_GRANDPARENT_PID: String(remnant.pid) } : {};
}

async function waitUntilReady(child: ChildProcess, { pgData }: DataDir, deadline: number): Promise<boolean> {
  try {
    while (performance.now() < deadline) {
      if (child.exitCode !== null || child.signalCode !== null) return true;
      const file = await readPostmasterFile(pgData);
      if (file?.ready && file.pid === child.pid) return false;
      await sleep(15);
    }
    return false;
  } finally {
    child.unref();
  }
}

async function explainExit(lines: string, launcher: Launcher): Promise<void> {
  if (lines.includes(LOCK_FILE_EXISTS)) {
    // The server of a process killed while starting it, or backends that have not noticed yet that theirs is gone.
    await sleep(100);
    return;
  }
  throw new AppError(
    'configuration_invalid',
    `The embedded database did not start: ${lines || 'no reason given'}`,
    {
      hint: launcher.hint,
    },
  );
}
