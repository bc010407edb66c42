import cluster from 'node:cluster';
import type { Config } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { isOrder, type Report } from '#src/serve/link.ts';
import { type Server, startServer } from '#src/serve/start-server.ts';
import { stopServer } from '#src/serve/stop-server.ts';

/** Answers requests until the leading process orders the end, or is gone, or the system orders it. */
export async function serveAsWorker(config: Config, log: Log): Promise<void> {
  const stop = Promise.withResolvers<number>();
  const orphaned = new AbortController();
  const metrics = metricsFromLeader();
  let server: Server | undefined;
  // The terminal and systemd tell the whole group; the leader says the same, and what is said twice is done once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // No load balancer has heard yet of one that is still starting.
    process.on(signal, () => stop.resolve(server ? config.http.shutdownDelay : 0));
  }
  cluster.worker?.once('disconnect', () => {
    // Node would end this process at once, in the middle of requests, and nobody would stop the embedded database.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    orphaned.abort();
    stop.resolve(0);
  });

  process.on('message', (message) => {
    if (!isOrder(message)) return;
    if (message.order === 'stop') stop.resolve(message.wait);
    if (message.order === 'take_metrics') metrics.take(message.id, message.text);
    if (message.order === 'tell_figures') void tellFigures(server, message.id);
  });

  server = await startServer(config, log, {
    migrateFirst: false,
    isShared: true,
    writeMetrics: metrics.ask,
  });
  await say({ report: 'ready' });
  const wait = await stop.promise;
  await stopServer(server, wait, orphaned.signal);
  await say({ report: 'done', figures: await figuresOf(server) });
}

const figuresOf = async (server: Server | undefined) => (await server?.app.metrics?.figures()) ?? [];

async function tellFigures(server: Server | undefined, id: number): Promise<void> {
  await say({ report: 'figures', id, figures: await figuresOf(server).catch(() => []) });
}

/** Resolves when it is on its way. To a leader that is gone there is nothing to say. */
function say(report: Report): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(report, () => resolve());
    else resolve();
  });
}

/** The leader alone can sum up what all processes know. */
function metricsFromLeader() {
  const waiting = new Map<number, (text: string | undefined) => void>();
  let asked = 0;
  return {
    take: (id: number, text: string | undefined) => {
      waiting.get(id)?.(text);
      waiting.delete(id);
    },
    ask: async (): Promise<string> => {
      asked += 1;
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      waiting.set(asked, resolve);
      await say({ report: 'wants_metrics', id: asked });
      const text = await promise;
      if (text === undefined) throw new AppError('service_unavailable', 'The metrics cannot be written now');
      return text;
    },
  };
}
