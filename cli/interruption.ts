import type { Pool, PoolClient } from 'pg';
import type { Work } from '#src/kernel/work.ts';

/**
 * Once `signal` is aborted, statements that are running are cancelled: they fail, and their transactions are rolled
 * back in order. Answers with a function that ends the watch.
 */
export function cancelOnAbort(pool: Pool, signal: AbortSignal): () => void {
  const busy = new Set<PoolClient>();
  const acquired = (client: PoolClient) => busy.add(client);
  const released = (_: unknown, client: PoolClient) => busy.delete(client);
  pool.on('acquire', acquired).on('release', released);
  const cancel = (client: PoolClient & { processID?: number | null }) => {
    pool.query('select pg_cancel_backend($1)', [client.processID]).catch(() => undefined);
  };
  const cancelAll = () => [...busy].forEach(cancel);
  signal.addEventListener('abort', cancelAll, { once: true });
  return () => {
    signal.removeEventListener('abort', cancelAll);
    pool.off('acquire', acquired).off('release', released);
  };
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
