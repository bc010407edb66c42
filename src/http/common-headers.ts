import type { Context, Lifecycle } from '#src/http/state.ts';

/** What every answer carries, whoever sends it. */
export function commonHeaders(ctx: Context, { draining }: Lifecycle): Record<string, string> {
  const headers: Record<string, string> = {
    'X-Request-Id': ctx.state.requestId,
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  // Told now, clients open their next connection elsewhere instead of losing a request on this one.
  if (draining) headers.Connection = 'close';
  return headers;
}
