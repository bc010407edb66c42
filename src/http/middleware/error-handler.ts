import type Koa from 'koa';
import { commonHeaders } from '#src/http/common-headers.ts';
import { errorPage } from '#src/http/error-page.ts';
import { presentError, statusOf, toAppError } from '#src/http/error-response.ts';
import { boundBody, carriesBody } from '#src/http/middleware/bound-body.ts';
import { logRequest } from '#src/http/middleware/log-request.ts';
import { sayWhenToReturn } from '#src/http/rate-limit.ts';
import { requestIdOf } from '#src/http/request-id.ts';
import { type Context, isMachinePath, type Lifecycle, type State } from '#src/http/state.ts';
import { pageHeaders } from '#src/http/web/page-headers.ts';
import type { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';

const SLOW_MS = 1_000;
const SERVER_ERROR = 500;

/** Outermost: the headers every answer has, and the only place where errors become answers. */
export function errorHandler(log: Log, lifecycle: Lifecycle): Koa.Middleware<State> {
  const logsEvery = log.isLevelEnabled('debug');

  return async (ctx, next) => {
    const started = performance.now();
    const { req, res } = ctx;
    ctx.state.requestId = requestIdOf(req);

    let failure: AppError | undefined;
    try {
      if (carriesBody(req)) await boundBody(ctx);
      await next();
    } catch (error) {
      failure = toAppError(error);
      answerError(ctx, failure);
    }

    if (!res.headersSent) {
      for (const [name, value] of Object.entries(commonHeaders(ctx, lifecycle))) {
        if (!res.hasHeader(name)) res.setHeader(name, value);
      }
    }

    const ms = performance.now() - started;
    const slow = ms > SLOW_MS;
    if (logsEvery || slow || res.statusCode >= SERVER_ERROR) logRequest(log, ctx, { ms, slow, failure });
  };
}

function answerError(ctx: Context, error: AppError): void {
  const { res } = ctx;
  ctx.status = statusOf(error);
  if (error.code === 'service_unavailable') res.setHeader('Retry-After', '1');
  sayWhenToReturn(ctx, error);
  // The rest of the body is not going to be read, so the connection cannot carry another request.
  if (error.code === 'payload_too_large') res.setHeader('Connection', 'close');

  if (!isMachinePath(ctx.path) && ctx.accepts('json', 'html') === 'html') {
    for (const [name, value] of Object.entries(pageHeaders())) res.setHeader(name, value);
    ctx.body = errorPage({ status: ctx.status, message: error.message, requestId: ctx.state.requestId });
    return;
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify(presentError(error));
}
