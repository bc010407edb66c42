/** Where a request stands in the caller's trace: good for finding log lines that belong together, and for nothing else. */
interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** Of the caller's step that made the request, 16 hexadecimal digits. */
  spanId: string;
}

/** version, trace-id, parent-id, trace-flags; later versions may go on after another hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** The `traceparent` header (W3C Trace Context, section 3.2); undefined for anything that is not exactly one. */
export function traceContextOf(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, spanId, rest] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return version === '00' && rest !== undefined ? undefined : { traceId, spanId };
}
