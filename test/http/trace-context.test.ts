import { describe, expect, test } from 'vitest';
import { traceContextOf } from '#src/http/trace-context.ts';
import { recordingLog, serve, withoutDatabase } from '#test/http/serve.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  test.each([
    ['of version 00', `00-${TRACE}-${SPAN}-01`],
    ['that is not sampled', `00-${TRACE}-${SPAN}-00`],
    ['of a later version', `cc-${TRACE}-${SPAN}-01`],
    ['of a later version that says more', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`],
  ])('%s is understood', (_, header) => {
    expect(traceContextOf(header)).toEqual({ traceId: TRACE, spanId: SPAN });
  });

  test.each([
    ['nothing', undefined],
    ['nothing in it', ''],
    ['more than version 00 has', `00-${TRACE}-${SPAN}-01-more`],
    ['a hyphen behind it', `00-${TRACE}-${SPAN}-01-`],
    ['more behind the flags of a later version', `cc-${TRACE}-${SPAN}-01.more`],
    ['the version that is none', `ff-${TRACE}-${SPAN}-01`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['spaces around it', ` 00-${TRACE}-${SPAN}-01`],
    ['a line break behind it', `00-${TRACE}-${SPAN}-01\n`],
    ['two of them, as Node joins them', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['two of them', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
  ])('with %s is none', (_, header) => {
    expect(traceContextOf(header)).toBeUndefined();
  });
});

test('the line of a request names the trace it belongs to', async () => {
  const { log, lines } = recordingLog('debug');
  const runtime = await withoutDatabase({}, log);
  await using served = await serve(runtime);

  const answer = await served.ask('/nowhere', { headers: { traceparent: `00-${TRACE}-${SPAN}-01` } });
  await served.ask('/nowhere', { headers: { traceparent: 'nonsense' } });
  const [first, second] = lines.filter(({ event }) => event === 'request');

  expect(first).toMatchObject({
    request_id: answer.headers.get('X-Request-Id'),
    trace_id: TRACE,
    span_id: SPAN,
  });
  expect(second).not.toHaveProperty('trace_id');
  await runtime.close();
});
