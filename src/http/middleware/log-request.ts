import type { Context } from '#src/http/state.ts';
import { traceContextOf } from '#src/http/trace-context.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import type { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';

interface Outcome {
  ms: number;
  slow: boolean;
  failure: AppError | undefined;
}

/** One line per request: which, what became of it, how long. Never the query, which may hold what people search for. */
export function logRequest(log: Log, ctx: Context, { ms, slow, failure }: Outcome): void {
  const trace = traceContextOf(ctx.req.headers.traceparent);
  const fields = {
    request_id: ctx.state.requestId,
    ...(trace && { trace_id: trace.traceId, span_id: trace.spanId }),
    method: ctx.method,
    path: ctx.path,
    status: ctx.status,
    ms: Math.round(ms * 10) / 10,
    ip: ctx.ip,
  };

  if (ctx.state.probe) {
    log.debug(fields, 'request');
  } else if (failure?.code === 'internal_server_error') {
    log.error({ ...fields, err: failure.cause }, 'request');
  } else if (ctx.status >= 500) {
    log.error({ ...fields, reason: reasonOf(failure) }, 'request');
  } else if (slow) {
    log.warn(fields, 'request');
  } else {
    log.debug(fields, 'request');
  }
}

/** An outage is known by its name; a stack would say nothing more. */
function reasonOf(failure: AppError | undefined): string | undefined {
  const cause = failure?.cause;
  if (!(cause instanceof Error)) return failure?.message;
  return [errorCode(cause), cause.message].filter(Boolean).join(': ');
}
