import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '#src/serve/start-server.ts';

/** No request in flight fails. The database goes last. `wait`: milliseconds for load balancers to look away first. */
export async function stopServer({ log, runtime, app, servers }: Server, wait: number): Promise<void> {
  app.drain();
  const { stopHttpServer } = await import('#src/http/http-server.ts');
  if (wait > 0) await delay(wait);

  const finished = await Promise.all(servers.map(stopHttpServer));
  if (finished.includes(false)) log.warn('requests_cut_off');
  await app.close();
  await runtime.close();
}
