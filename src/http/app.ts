import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import Koa from 'koa';
import { apiRoutes } from '#src/http/api/routes.ts';
import { type Background, createBackground } from '#src/http/background.ts';
import { healthRoutes } from '#src/http/health.ts';
import { createKeyUsage } from '#src/http/key-usage.ts';
import { createMetrics, type Metrics } from '#src/http/metrics.ts';
import { errorHandler } from '#src/http/middleware/error-handler.ts';
import { unmatched } from '#src/http/middleware/unmatched.ts';
import { oauthRoutes } from '#src/http/oauth/token.ts';
import { createRateLimit } from '#src/http/rate-limit.ts';
import { isMachinePath, type Lifecycle, type State } from '#src/http/state.ts';
import type { WebMiddleware } from '#src/http/web/routes.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** A database that does not answer must not hold up the end of the process. */
const FLUSH_MS = 1_000;

export interface App {
  handle: RequestListener;
  /** Undefined when nobody could ask for them. */
  metrics: Metrics | undefined;
  /** From now on not ready, and every answer asks for its connection to be closed. */
  drain(): void;
  /** Saves what is only in memory. Call when the last request has been answered. */
  close(): Promise<void>;
}

export interface AppOptions {
  /** Milliseconds for everything that one sign-in asks an identity provider. */
  loginTimeout?: number | undefined;
  /** Writes the metrics where this process is one of several; undefined: the process writes its own. */
  writeMetrics?: (() => Promise<string>) | undefined;
}

/** The whole surface, outermost first. */
export function createApp(runtime: Runtime, options: AppOptions = {}): App {
  const { config, log } = runtime;
  const lifecycle: Lifecycle = { draining: false };
  const usage = createKeyUsage(runtime);
  const background = createBackground(log);

  const hops = config.http.trustedProxyHops;
  const koa = new Koa<State>({ proxy: hops > 0, maxIpsCount: hops });
  koa.on('error', (error: NodeJS.ErrnoException) => reportLateError(log, error));

  const metrics = createMetrics(runtime, options.writeMetrics);
  if (metrics) koa.use(metrics.count);
  koa.use(errorHandler(log, lifecycle));
  koa.use(apiRoutes({ runtime, usage, rateLimit: createRateLimit(runtime), lifecycle }));
  koa.use(oauthRoutes({ runtime, usage }));
  koa.use(healthRoutes(runtime, lifecycle).routes());
  if (metrics) koa.use(metrics.answer);
  const web = pages(koa, runtime, background, options);
  koa.use(web.handle);
  koa.use(unmatched);

  const handle = koa.callback();
  return {
    handle: (req, res) => void handle(req, res),
    metrics,
    drain: () => {
      lifecycle.draining = true;
    },
    close: async () => {
      const saved = Promise.all([usage.flush(), background.settle()]);
      await Promise.race([saved, delay(FLUSH_MS, undefined, { ref: false })]);
      await web.close();
    },
  };
}

/** Read at the first request that needs it: programs that use the JSON API alone do not pay for it. */
function pages(koa: Koa<State>, runtime: Runtime, background: Background, options: AppOptions): Pages {
  let loading: Promise<Pages> | undefined;
  const load = async (): Promise<Pages> => {
    const [{ webRoutes }, { lazyFederation }] = await Promise.all([
      import('#src/http/web/routes.ts'),
      import('#src/sso/lazy-federation.ts'),
    ]);
    const federation = lazyFederation(runtime, options);
    return {
      handle: webRoutes(koa, runtime, background, federation),
      close: async () => federation.close(),
    };
  };
  return {
    handle: async (ctx, next) => {
      if (isMachinePath(ctx.path)) return next();
      loading ??= load();
      return (await loading).handle(ctx, next);
    },
    // What could not be loaded has nothing to close.
    close: async () =>
      loading?.then(
        (loaded) => loaded.close(),
        () => undefined,
      ),
  };
}

interface Pages {
  handle: WebMiddleware;
  close(): Promise<void>;
}

const GONE = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Only what fails after the answer was decided ends here: mostly callers who went away. */
function reportLateError(log: Log, error: NodeJS.ErrnoException): void {
  if (GONE.has(error.code ?? '')) log.debug({ reason: error.message }, 'answer_not_delivered');
  else log.error({ err: error }, 'answer_not_delivered');
}
