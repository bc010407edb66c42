import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from '#src/kernel/work.ts';
import { expectContract } from '#test/http/contract.ts';
import { type Served, serve, withoutDatabase, withQuery } from '#test/http/serve.ts';

/** Sends bytes and reads until the server closes. */
async function talk(port: number, bytes: string) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  const headers = new Headers();
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(': ');
    headers.append(line.slice(0, colon), line.slice(colon + 2));
  }
  return { status: Number(head.slice(9, 12)), headers, body: body === '' ? undefined : JSON.parse(body) };
}

describe('bytes that never become a request', () => {
  let runtime: Runtime;
  let served: Served;
  beforeAll(async () => {
    runtime = await withoutDatabase();
    served = await serve(runtime);
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await runtime.close();
  });

  test.each([
    ['garbage', 'HELLO\r\n\r\n', 400, 'bad_request'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400, 'bad_request'],
    ['a missing Host', 'GET /api/v1/accounts HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'bad_request',
    ],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'bad_request',
    ],
    ['a space in a header name', 'GET / HTTP/1.1\r\nHost: x\r\nX Y: z\r\n\r\n', 400, 'bad_request'],
    [
      'a broken chunk',
      'POST /up HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'bad_request',
    ],
    [
      'too many headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Y: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
      'request_header_fields_too_large',
    ],
    [
      'too long a URL',
      `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'request_header_fields_too_large',
    ],
    [
      'an expectation nobody can meet',
      'GET /api/v1/accounts HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n',
      417,
      'expectation_failed',
    ],
    ['a tunnel', 'CONNECT db:5432 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
  ])('are answered in our shape: %s', async (_, bytes, status, error) => {
    const answer = await talk(served.port, bytes);

    expect(answer.status).toBe(status);
    expect(answer.body.error).toBe(error);
    expectContract('GET', '/api/', status, answer.body);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('Connection')).toBe('close');
  });

  test('a request that takes too long is told so', async () => {
    await using slow = await serve(runtime);
    slow.server.headersTimeout = 1;

    const answer = await talk(slow.port, 'GET /api/v1/accounts HTTP/1.1\r\nHost: x\r\n');

    expect(answer.status).toBe(408);
    expect(answer.body.error).toBe('request_timeout');
  });

  test('an old client needs no Host', async () => {
    expect((await talk(served.port, 'GET /up HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  test('an absolute URL or a foreign Host changes nothing', async () => {
    const bytes = 'GET http://evil.example/up HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n';

    expect(await talk(served.port, bytes)).toMatchObject({ status: 200, body: { status: 'up' } });
  });
});

test('the server has limits for slow and for many clients', async () => {
  const runtime = await withoutDatabase();
  await using served = await serve(runtime);

  expect(served.server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 28_000,
    keepAliveTimeout: 65_000,
    maxConnections: 10_000,
  });
  await runtime.close();
});

test('a client that goes away leaves the server standing', async () => {
  const runtime = await withoutDatabase();
  const entered = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<never>();
  const query = () => {
    entered.resolve();
    return answer.promise;
  };
  await using served = await serve(withQuery(runtime, query));

  const socket = connect({ port: served.port, host: '127.0.0.1' });
  const gone = new Promise((resolve) =>
    served.server.once('connection', (peer) => peer.once('close', resolve)),
  );
  socket.write(`GET /api/v1/accounts HTTP/1.1\r\nHost: x\r\nX-Api-Key: fin_${'A'.repeat(43)}\r\n\r\n`);
  await entered.promise;
  socket.resetAndDestroy();
  await gone;
  answer.reject(new Error('too late'));

  expect((await served.ask('/up')).status).toBe(200);
  await runtime.close();
});
