import type { Pool, PoolClient } from 'pg';

/** Once `signal` is aborted, every connection in use ends: its statement fails and its transaction is rolled back. */
export function endOnAbort(pool: Pool, signal: AbortSignal): void {
  const busy = new Set<PoolClient>();
  const end = (client: PoolClient & { end?: () => Promise<void> }) => void client.end?.().catch(() => undefined);

  pool.on('acquire', (client) => {
    busy.add(client);
    if (signal.aborted) end(client);
  });
  pool.on('release', (_, client) => busy.delete(client));
  signal.addEventListener('abort', () => busy.forEach(end), { once: true });
}
