import { createHash, timingSafeEqual } from 'node:crypto';
import type Koa from 'koa';
import { answerOtherMethod } from '#src/http/middleware/unmatched.ts';
import type { Context, State } from '#src/http/state.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface Metrics {
  /** Outermost: counts the answers by class of status. */
  count: Koa.Middleware<State>;
  /** `GET /metrics` in the text format of Prometheus. */
  answer: Koa.Middleware<State>;
}

const PATH = '/metrics';

/** For a Prometheus that knows METRICS_TOKEN; undefined when nobody has set it. */
export function createMetrics(runtime: Runtime): Metrics | undefined {
  const token = runtime.config.http.metricsToken;
  if (token === undefined) return undefined;
  const answers = new Map<string, number>();
  let loading: Promise<() => Promise<string>> | undefined;
  const load = async () => (await import('#src/http/write-metrics.ts')).metricsWriter(runtime, answers);

  return {
    count: async (ctx, next) => {
      await next();
      const status = `${Math.floor(ctx.status / 100)}xx`;
      answers.set(status, (answers.get(status) ?? 0) + 1);
    },
    answer: async (ctx, next) => {
      if (ctx.path !== PATH) {
        await next();
      } else if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
        answerOtherMethod(ctx, ['GET', 'HEAD']);
      } else {
        requireToken(ctx, token);
        loading ??= load();
        answerText(ctx, await (await loading)());
      }
    },
  };
}

function answerText(ctx: Context, text: string): void {
  ctx.state.probe = true;
  ctx.status = 200;
  ctx.res.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
  ctx.body = text;
}

function requireToken(ctx: Context, token: string): void {
  const [, given] = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization')) ?? [];
  if (given !== undefined && timingSafeEqual(digest(given), digest(token))) return;
  ctx.res.setHeader('WWW-Authenticate', 'Bearer');
  throw new AppError('unauthorized', 'The metrics need METRICS_TOKEN as "Authorization: Bearer"');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
