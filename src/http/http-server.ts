import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerProtocolErrors, refuseMissingHost } from '#src/http/protocol-errors.ts';

/** A request must be complete within 30 seconds; both limits are looked at once a second. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 28_000,
  connectionsCheckingInterval: 1_000,
  /** Longer than the proxies' own 60 seconds, so that it is they who close idle connections. */
  keepAliveTimeout: 65_000,
  /** Ours answers with a body. */
  requireHostHeader: false,
} as const;

const MAX_CONNECTIONS = 10_000;

/** After a stop, the time in which a request already on its way over an idle connection still arrives. */
const LAST_ARRIVALS_MS = 250;
/** After a stop, the time for headers that have begun; connections that say nothing at all are held to it too. */
const LAST_HEADERS_MS = 1_000;
/** A statement may take 8 seconds, and the whole stop 10. */
const FINISH_MS = 9_000;

export function createHttpServer(handle: RequestListener): Server {
  const server = createServer(LIMITS, (req, res) => {
    if (req.headers.host === undefined && req.httpVersion === '1.1') refuseMissingHost(res);
    else handle(req, res);
  });
  server.maxConnections = MAX_CONNECTIONS;
  answerProtocolErrors(server);
  return server;
}

/**
 * Stops accepting and lets the requests in flight finish. Answers false when some had to be cut off.
 * The application must answer with `Connection: close` by now, or busy connections never end.
 */
export async function stopHttpServer(server: Server): Promise<boolean> {
  // http.Server.close() would also end idle connections at once, and with them requests that are on their way.
  const closed = new Promise<true>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve(true));
  });
  server.headersTimeout = LAST_HEADERS_MS;
  const sweep = setInterval(() => server.closeIdleConnections(), LAST_ARRIVALS_MS);

  const finished = await Promise.race([closed, delay(FINISH_MS, false, { ref: false })]);
  clearInterval(sweep);
  server.closeAllConnections();
  return finished;
}
