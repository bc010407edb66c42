import type { Pool, PoolClient } from 'pg';
import type { Work } from '#src/kernel/work.ts';

/**
 * Once `signal` is aborted, statements that are running are cancelled: they fail, and their transactions are rolled
 * back in order. Ending the connections instead would leave their transactions in MikroORM's hands for ever.
 */
export function cancelOnAbort(pool: Pool, signal: AbortSignal): void {
  const busy = new Set<PoolClient>();
  pool.on('acquire', (client) => busy.add(client));
  pool.on('release', (_, client) => busy.delete(client));
  const cancel = (client: PoolClient & { processID?: number | null }) => {
    pool.query('select pg_cancel_backend($1)', [client.processID]).catch(() => undefined);
  };
  signal.addEventListener('abort', () => [...busy].forEach(cancel), { once: true });
}

/** The task, except that it goes no further once `signal` is aborted, and is not committed. */
export function interruptible<Result>(
  signal: AbortSignal,
  task: (work: Work) => Promise<Result>,
): (work: Work) => Promise<Result> {
  return async (work) => {
    const result = await task({
      ...work,
      sql: (text, values) => {
        signal.throwIfAborted();
        return work.sql(text, values);
      },
    });
    signal.throwIfAborted();
    return result;
  };
}
