import type { Config } from '#src/kernel/config.ts';
import type { Log } from '#src/kernel/log.ts';
import { announce } from '#src/serve/announce.ts';
import { type Server, startServer } from '#src/serve/start-server.ts';
import { stopServer } from '#src/serve/stop-server.ts';

/** One process does it all. Resolves when it has stopped, after `asked`. */
export async function serveAlone(config: Config, log: Log, asked: Promise<void>): Promise<void> {
  const server = await startServer(config, log);
  const metrics = await openMetrics(server);
  announce(server);
  await asked;
  await stopServer(server, config.http.shutdownDelay);
  metrics?.close();
}

async function openMetrics(server: Server) {
  const { config, log, app } = server;
  const { metrics } = app;
  if (!metrics || config.http.metricsPort === undefined) return undefined;
  const { openMetricsServer } = await import('#src/http/metrics/metrics-server.ts');
  try {
    return await openMetricsServer(config.http, () => metrics.write(), log);
  } catch (error) {
    await stopServer(server, 0);
    throw error;
  }
}
