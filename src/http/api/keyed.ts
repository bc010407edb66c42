import { CHECK_ACCESS } from '#src/auth/readers.ts';
import { challenge, readerOf } from '#src/http/api/credential.ts';
import { commonHeaders } from '#src/http/common-headers.ts';
import type { KeyUsage } from '#src/http/key-usage.ts';
import type { RateLimit } from '#src/http/rate-limit.ts';
import type { Context, Lifecycle } from '#src/http/state.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';
import type { Reader } from '#src/kernel/reader.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface ApiParts {
  runtime: Runtime;
  usage: KeyUsage;
  rateLimit: RateLimit | undefined;
  lifecycle: Lifecycle;
}

/** What one operation answers, as a JSON value, to whoever `reader` proves to be. */
type Answer = (reader: Reader, ctx: Context, id: string) => Promise<object>;

/** `id` is what stands behind the resource's name in the path; empty for lists. */
export type Handler = (ctx: Context, id: string) => Promise<void>;

/** An operation for holders of an API key or of its token, which the first statement that reads will check. */
export function keyed(parts: ApiParts, answer: Answer): Handler {
  const { runtime, usage, rateLimit, lifecycle } = parts;
  if (rateLimit) return limited({ ...parts, rateLimit }, answer);
  return async (ctx, id) => {
    try {
      const reader = readerOf(runtime, ctx, usage.touch);
      sendJson(ctx, lifecycle, await answer(reader, ctx, id));
    } catch (error) {
      throw challenged(ctx, error);
    }
  };
}

/** Every answer to an accepted key or token counts for the key, errors included; strangers count for nobody. */
function limited(
  { runtime, usage, rateLimit, lifecycle }: ApiParts & { rateLimit: RateLimit },
  answer: Answer,
): Handler {
  return async (ctx, id) => {
    let keyId: string | undefined;
    const used = (accepted: string) => {
      keyId = accepted;
      usage.touch(accepted);
    };
    const ask = async () => answer(readerOf(runtime, ctx, used), ctx, id);
    const [outcome] = await Promise.allSettled([ask()]);

    if (keyId !== undefined) await rateLimit(ctx, keyId);
    if (outcome.status === 'rejected') throw challenged(ctx, outcome.reason);
    sendJson(ctx, lifecycle, outcome.value);
  };
}

/** RFC 9110, section 15.5.2: a 401 says how to authenticate. */
function challenged(ctx: Context, error: unknown): unknown {
  if (error instanceof AppError && error.code === 'unauthorized') {
    ctx.res.setHeader('WWW-Authenticate', challenge(ctx));
  }
  return error;
}

/** Refuses a request for what is wrong with it, but only to those who may know: 401 comes before 422. */
export async function refuseFilters(reader: Reader, problems: string[]): Promise<never> {
  await reader.read(CHECK_ACCESS, []);
  throw invalid(problems);
}

/** Status, headers and body in one write: what Koa does for bodies of every kind is not needed for this one. */
function sendJson(ctx: Context, lifecycle: Lifecycle, value: object): void {
  const text = JSON.stringify(value);
  const headers = commonHeaders(ctx, lifecycle);
  headers['Content-Type'] = 'application/json; charset=utf-8';
  headers['Content-Length'] = String(Buffer.byteLength(text));
  ctx.respond = false;
  ctx.res.writeHead(200, headers).end(text);
}
