import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { CHECK_ACCESS, keyReader, unauthorized } from '#src/auth/readers.ts';
import { commonHeaders } from '#src/http/common-headers.ts';
import type { KeyUsage } from '#src/http/key-usage.ts';
import type { RateLimit } from '#src/http/rate-limit.ts';
import type { Context, Lifecycle } from '#src/http/state.ts';
import { invalid } from '#src/kernel/errors.ts';
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

/** An operation for holders of an API key. The key is checked by the first statement that reads. */
export function keyed(parts: ApiParts, answer: Answer): Handler {
  const { runtime, usage, rateLimit, lifecycle } = parts;
  if (rateLimit) return limited({ ...parts, rateLimit }, answer);
  return async (ctx, id) => {
    const reader = keyReader(runtime, { digest: presentedKey(ctx), needs: 'read' }, usage.touch);
    sendJson(ctx, lifecycle, await answer(reader, ctx, id));
  };
}

/** Every answer to an accepted key counts, errors included; strangers count for nobody. */
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
    const reader = keyReader(runtime, { digest: presentedKey(ctx), needs: 'read' }, used);
    const [outcome] = await Promise.allSettled([answer(reader, ctx, id)]);

    if (keyId !== undefined) await rateLimit(ctx, keyId);
    if (outcome.status === 'rejected') throw outcome.reason;
    sendJson(ctx, lifecycle, outcome.value);
  };
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

function presentedKey({ req }: Context): Buffer {
  // A repeated header arrives joined by a comma, which no key contains.
  const given = req.headers['x-api-key'];
  const digest = typeof given === 'string' ? apiKeyDigest(given) : undefined;
  if (!digest) throw unauthorized();
  return digest;
}
