import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';

/** CPU that a server and its database connections have used so far, in microseconds. */
export type CpuClock = () => Promise<number>;

/**
 * Undefined where it cannot be known: without Linux's /proc, or with a database on another machine.
 * Throughput depends on who else uses the machine, the CPU a request takes hardly does.
 */
export async function cpuClock(
  monitor: pg.Client,
  { pid, applicationName, database }: { pid: number; applicationName: string; database: string },
): Promise<CpuClock | undefined> {
  const backends = async () => {
    const { rows } = await monitor.query<{ pid: number }>(
      'select pid from pg_stat_activity where application_name = $1 and datname = $2',
      [applicationName, database],
    );
    return rows.map((row) => row.pid);
  };
  const [first] = await backends();
  if (first === undefined || !(await isLocal(first))) return undefined;
  return async () => {
    let total = 0;
    for (const process of [pid, ...(await backends())]) total += await cpuOf(process);
    return total;
  };
}

async function isLocal(backend: number): Promise<boolean> {
  const name = await readFile(`/proc/${backend}/comm`, 'utf8').catch(() => '');
  return name.startsWith('postgres');
}

/** Over all threads; a process that ended counts nothing. */
async function cpuOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  let nanoseconds = 0;
  for (const thread of threads) {
    const times = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    nanoseconds += Number(times.split(' ', 1)[0]);
  }
  return nanoseconds / 1000;
}
