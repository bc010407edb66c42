import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '#src/serve/start-server.ts';

/**
 * No request in flight fails. The database goes last. `wait`: milliseconds for load balancers to look away first, unless
 * `hurry` says that nobody is left to do so.
 */
export async function stopServer(
  { log, runtime, app, servers }: Server,
  wait: number,
  hurry?: AbortSignal,
): Promise<void> {
  app.drain();
  const { stopHttpServer } = await import('#src/http/http-server.ts');
  if (wait > 0) await delay(wait, undefined, { signal: hurry }).catch(() => undefined);

  const finished = await Promise.all(servers.map(stopHttpServer));
  if (finished.includes(false)) log.warn('requests_cut_off');
  await app.close();
  await runtime.close();
}
