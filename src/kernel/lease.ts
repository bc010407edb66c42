import { randomUUID } from 'node:crypto';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Sql } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** The right to do a job that only one process at a time may do (table `job_leases`). */
export interface Lease {
  /**
   * Proves, within a unit of work, that the lease is still ours, and keeps it so until that unit of work ends. Throws
   * `service_unavailable` when another process has taken it over: what has stalled and wakes up changes nothing more.
   */
  prove(work: Sql): Promise<void>;
  release(): Promise<void>;
}

/** Far above any pause of a process that lives; far below any patience for one that does not. */
const SECONDS = 60;
const HEARTBEAT_MS = 15_000;
/** PostgreSQL's `lock_not_available`: it was waited for as long as `lock_timeout` says. */
const LOCK_NOT_AVAILABLE = '55P03';

const TAKE = `update job_leases set owner = $2, expires_at = clock_timestamp() + make_interval(secs => $3)
where name = $1 and (owner is null or expires_at < clock_timestamp()) returning name`;
/** Not only a lock: under any isolation whoever looked at the row before now notices. */
const RENEW = `update job_leases set expires_at = clock_timestamp() + make_interval(secs => $3)
where name = $1 and owner = $2 returning name`;
const RELEASE = 'update job_leases set owner = null, expires_at = null where name = $1 and owner = $2';
const UNTIL = 'select expires_at::text from job_leases where name = $1';

/**
 * Takes the lease by the database's clock and renews it until it is released. Throws `service_unavailable` when another
 * process has it; one that has died loses it after a minute.
 */
export async function takeLease({ pool, log }: Pick<Runtime, 'pool' | 'log'>, name: string): Promise<Lease> {
  const owner = randomUUID();
  const { rowCount } = await pool.query(TAKE, [name, owner, SECONDS]).catch((error: unknown) => {
    if (errorCode(error) === LOCK_NOT_AVAILABLE) return { rowCount: 0 };
    throw error;
  });
  if (rowCount !== 1) throw await heldByAnother(pool, name);

  let isBeating = false;
  const beat = async () => {
    // One waits for as long as a unit of work has proved the lease; more of them would take every connection.
    if (isBeating) return;
    isBeating = true;
    await pool.query(RENEW, [name, owner, SECONDS]).catch((error: unknown) => {
      // While our own unit of work holds the row, nobody else gets it either.
      if (errorCode(error) !== LOCK_NOT_AVAILABLE) log.warn({ name }, 'lease_not_renewed');
    });
    isBeating = false;
  };
  const heartbeat = setInterval(() => void beat(), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    prove: async (work) => {
      const [ours] = await work.sql(RENEW, [name, owner, SECONDS]);
      if (!ours) throw takenOver(name);
    },
    release: async () => {
      clearInterval(heartbeat);
      // When this fails it runs out by itself.
      await pool.query(RELEASE, [name, owner]).catch(() => log.warn({ name }, 'lease_not_released'));
    },
  };
}

/** Runs a job that only one process at a time may do. */
export async function withLease<Result>(
  runtime: Pick<Runtime, 'pool' | 'log'>,
  name: string,
  job: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const lease = await takeLease(runtime, name);
  try {
    return await job(lease);
  } finally {
    await lease.release();
  }
}

async function heldByAnother(pool: Runtime['pool'], name: string): Promise<AppError> {
  const { rows } = await pool.query<{ expires_at: string | null }>(UNTIL, [name]);
  const until = rows[0]?.expires_at;
  const when = until ? ` until ${new Date(until).toISOString()} unless it goes on` : '';
  return new AppError('service_unavailable', `another process is at it (${name})${when}`, {
    hint: 'Wait until it has finished, then run it again. Of a process that has died nothing is left after a minute.',
    details: { lease: name, until: until ? new Date(until).toISOString() : null },
  });
}

function takenOver(name: string): AppError {
  return new AppError(
    'service_unavailable',
    `another process has taken over (${name}); this one has stopped`,
    {
      hint: 'It had not been heard of for a minute. What it had saved stands; nothing is lost.',
    },
  );
}
