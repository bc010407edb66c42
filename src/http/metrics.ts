import { createHash, timingSafeEqual } from 'node:crypto';
import type Koa from 'koa';
import type { Figure } from '#src/http/metrics/figures.ts';
import { RequestTimes } from '#src/http/metrics/request-times.ts';
import { answerOtherMethod } from '#src/http/middleware/unmatched.ts';
import type { Context, State } from '#src/http/state.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface Metrics {
  /** Outermost: counts the answers, and how long they took. */
  count: Koa.Middleware<State, Matched>;
  /** `GET /metrics`, for those who know METRICS_TOKEN; without such a token there is no such path. */
  answer: Koa.Middleware<State>;
  /** Everything there is to know, in the text format of Prometheus. */
  write(): Promise<string>;
  /** What this process alone knows of itself. */
  figures(): Promise<Figure[]>;
}

/** What the router leaves behind: the pattern that matched. */
interface Matched {
  routerPath?: unknown;
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const PATH = '/metrics';

/** Undefined when nobody could ask for them. `elsewhere` writes them where this process is one of several. */
export function createMetrics(runtime: Runtime, elsewhere?: () => Promise<string>): Metrics | undefined {
  const { metricsToken: token, metricsPort } = runtime.config.http;
  if (token === undefined && metricsPort === undefined) return undefined;
  const times = new RequestTimes();
  const load = async () => {
    const { createMetricsWriter } = await import('#src/http/metrics/write-metrics.ts');
    return createMetricsWriter(runtime, times);
  };
  let loading: ReturnType<typeof load> | undefined;
  const writer = () => {
    loading ??= load();
    return loading;
  };
  const write = elsewhere ?? (async () => (await writer()).write());

  return {
    count: async (ctx, next) => {
      const started = performance.now();
      await next();
      times.add(patternOf(ctx), ctx.method, ctx.status, (performance.now() - started) / 1_000);
    },
    answer: async (ctx, next) => {
      if (token === undefined || ctx.path !== PATH) await next();
      else await answerRequest(ctx, token, write);
    },
    write,
    figures: async () => (await writer()).figures(),
  };
}

async function answerRequest(ctx: Context, token: string, write: () => Promise<string>): Promise<void> {
  ctx.state.route = PATH;
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return answerOtherMethod(ctx, ['GET', 'HEAD']);
  requireToken(ctx, token);
  answerText(ctx, await write());
}

/** Never the path itself, of which there are as many as people care to type. */
function patternOf(ctx: Context & Matched): string {
  const pattern = ctx.state.route ?? ctx.routerPath;
  return typeof pattern === 'string' && pattern !== '' ? pattern : 'unmatched';
}

function answerText(ctx: Context, text: string): void {
  ctx.state.probe = true;
  ctx.status = 200;
  ctx.res.setHeader('Content-Type', METRICS_TYPE);
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
