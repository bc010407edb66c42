import type { ServerResponse } from 'node:http';
import { createHttpServer } from '#src/http/http-server.ts';
import { type Listening, listen } from '#src/http/listen.ts';
import { METRICS_TYPE } from '#src/http/metrics.ts';
import type { HttpConfig } from '#src/kernel/config.ts';
import type { Log } from '#src/kernel/log.ts';

interface MetricsServer {
  port: number;
  close(): void;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Opens METRICS_PORT, for whoever can reach it: `GET /metrics` and `/up`, and nothing else. No token, no database. */
export async function openMetricsServer(
  { metricsHost, metricsPort }: Pick<HttpConfig, 'metricsHost' | 'metricsPort'>,
  write: () => Promise<string>,
  log: Log,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  const names = { port: 'METRICS_PORT', host: 'METRICS_HOST' };
  const { servers, port } = await listen(() => metricsServer(write, log), metricsHost, metricsPort, {
    names,
  });
  log.info({ port }, 'metrics_ready');
  return {
    port,
    close: () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

function metricsServer(write: () => Promise<string>, log: Log): Listening['servers'][number] {
  return createHttpServer((req, res) => {
    const path = req.url?.split('?')[0];
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      send(res, 405, JSON_TYPE, '{"error":"method_not_allowed","message":"Only GET is possible here"}');
    } else if (path === '/metrics') void sendMetrics(res, write, log);
    else if (path === '/up') send(res, 200, JSON_TYPE, '{"status":"up"}');
    else send(res, 404, JSON_TYPE, '{"error":"not_found","message":"There is nothing at this path"}');
  });
}

async function sendMetrics(res: ServerResponse, write: () => Promise<string>, log: Log): Promise<void> {
  try {
    send(res, 200, METRICS_TYPE, await write());
  } catch (error) {
    log.error({ err: error }, 'metrics_failed');
    send(res, 500, JSON_TYPE, '{"error":"internal_server_error","message":"The metrics cannot be written"}');
  }
}

function send(res: ServerResponse, status: number, type: string, text: string): void {
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  res.end(res.req.method === 'HEAD' ? undefined : text);
}
