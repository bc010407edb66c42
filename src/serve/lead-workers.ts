import { createServer } from 'node:http';
import { listen } from '#src/http/listen.ts';
import type { Config, HttpConfig } from '#src/kernel/config.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';
import { announce } from '#src/serve/announce.ts';
import { Crew } from '#src/serve/crew.ts';
import { STATEMENT_TIMEOUT } from '#src/serve/start-server.ts';

/**
 * Brings the database up to date, once, and lets several processes answer requests on one port. Resolves when all have
 * stopped, after `asked`; throws when they cannot be kept running.
 */
export async function leadWorkers(config: Config, log: Log, asked: Promise<void>): Promise<void> {
  const runtime = await createRuntime(config, { log, statementTimeout: STATEMENT_TIMEOUT });
  const writeMetrics = lazyWriter(runtime, async () => (await crew?.figures()) ?? []);
  let crew: Crew | undefined;
  let wait = 0;
  let metrics: { close(): void } | undefined;
  try {
    const port = await findPort(config.http);
    crew = new Crew({ size: config.http.workers, port, log, writeMetrics });
    // Whoever asks for the end during the start need not wait for its rest.
    const isAsked = asked.then(() => true);
    if (await Promise.race([crew.start(), isAsked])) return;
    if (config.http.metricsPort !== undefined) {
      const { openMetricsServer } = await import('#src/http/metrics/metrics-server.ts');
      metrics = await openMetricsServer(config.http, writeMetrics, log);
    }
    renewWhenToldTo(crew);
    announce({ config, runtime, port, workers: config.http.workers });
    await Promise.race([asked, crew.lost]);
    wait = config.http.shutdownDelay;
  } finally {
    await crew?.stop(wait);
    metrics?.close();
    await runtime.close();
  }
}

/** Where the workers are going to listen, and nobody else does. Says what is wrong with a port once, not for each of them. */
async function findPort({ host, port }: HttpConfig): Promise<number> {
  const probe = await listen(() => createServer(), host, port);
  await Promise.all(probe.servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return probe.port;
}

/** On a terminal SIGHUP says that it was closed, and ends the process. */
function renewWhenToldTo(crew: Crew): void {
  if (!process.stdout.isTTY) process.on('SIGHUP', () => void crew.renew());
}

function lazyWriter(runtime: Runtime, figures: Crew['figures']): () => Promise<string> {
  const load = async () => {
    const { createSumWriter } = await import('#src/http/metrics/write-sum.ts');
    return createSumWriter(runtime, figures);
  };
  let loading: ReturnType<typeof load> | undefined;
  return async () => {
    loading ??= load();
    return (await loading)();
  };
}
