import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from '#src/kernel/work.ts';
import { recordingLog, type Served, serve, withoutDatabase, withQuery } from '#test/http/serve.ts';

const KEY = `fin_${'A'.repeat(43)}`;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('without a database', () => {
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
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/nothing',
    '/api/v1/transactions/',
    '/api/v1/TRANSACTIONS',
    '/api/v2/transactions',
    '/api/v1/transactions/a/b',
    '/api/%zz',
    '/api/v1/%00',
    '/oauth',
    '/oauth/token/',
    '/oauth/TOKEN',
  ])('answers %s with a JSON 404, whatever the client accepts', async (path) => {
    const answer = await served.ask(path, { headers: { Accept: 'text/html' } });

    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: 'not_found', message: expect.any(String) });
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'refuses %s where only reading is possible',
    async (method) => {
      const answer = await served.ask('/api/v1/transactions', { method });

      expect(answer.status).toBe(405);
      expect(answer.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
      expect(answer.body.error).toBe('method_not_allowed');
    },
  );

  test('answers OPTIONS with what is possible, and without CORS', async () => {
    const answer = await served.ask('/api/v1/accounts', {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' },
    });

    expect(answer.status).toBe(204);
    expect(answer.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('answers HEAD like GET, without the body', async () => {
    const get = await served.ask('/up');
    const head = await served.ask('/up', { method: 'HEAD' });

    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'));
  });

  test.each([
    ['/api/v1/accounts', 401],
    ['/api/v1/nothing', 404],
  ])('answers HEAD %s with %i and the length of what GET would say', async (path, status) => {
    const get = await served.ask(path);
    const head = await served.ask(path, { method: 'HEAD' });

    expect(head).toMatchObject({ status, text: '' });
    expect(head.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'));
  });

  test.each([
    ['missing', {}],
    ['empty', { 'X-Api-Key': '' }],
    ['malformed', { 'X-Api-Key': 'secret' }],
    ['too long', { 'X-Api-Key': `${KEY}A` }],
    ['in the wrong header', { Authorization: `Bearer ${KEY}` }],
  ])('needs no database to refuse a key that is %s', async (_, headers) => {
    const answer = await served.ask('/api/v1/rejected_transfers?account_id=nonsense', { headers });

    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ error: 'unauthorized', message: expect.stringContaining('X-Api-Key') });
  });

  test('refuses a key header that is sent twice', async () => {
    const headers = new Headers([
      ['X-Api-Key', KEY],
      ['X-Api-Key', KEY],
    ]);

    expect((await served.ask('/api/v1/accounts', { headers })).status).toBe(401);
  });

  test.each(['/api/v1/accounts', '/api/v1/transactions/x', '/api/v1/rejected_transfers?start_date=x'])(
    'answers %s with 503 while the database is down',
    async (path) => {
      const answer = await served.ask(path, { headers: { 'X-Api-Key': KEY } });

      expect(answer.status).toBe(503);
      expect(answer.headers.get('Retry-After')).toBe('1');
      expect(answer.body.error).toBe('service_unavailable');
      expect(answer.text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1/);
    },
  );

  test('refuses a body over the limit by its announced length', async () => {
    const answer = await served.ask('/api/v1/transactions', {
      method: 'POST',
      body: new Uint8Array(5_000_000),
    });

    expect(answer.status).toBe(413);
    expect(answer.headers.get('Connection')).toBe('close');
    expect(answer.body).toMatchObject({ error: 'payload_too_large', details: { limit: 65_536 } });
  });

  test('refuses a body over the limit that announces no length', async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(16_384)) });
    const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit;

    expect((await served.ask('/api/v1/transactions', init)).status).toBe(413);
  });

  test('throws small bodies away', async () => {
    const small = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"broken' };

    expect((await served.ask('/api/v1/transactions', small)).status).toBe(405);
  });

  test.each(['abc', 'A-b_c.1', 'x'.repeat(128)])('keeps the request id %s', async (id) => {
    const answer = await served.ask('/api/v1/nothing', { headers: { 'X-Request-Id': id } });

    expect(answer.headers.get('X-Request-Id')).toBe(id);
  });

  test.each(['', 'a b', 'x'.repeat(129), 'a,b', '<script>'])('replaces the request id "%s"', async (id) => {
    const answer = await served.ask('/up', { headers: { 'X-Request-Id': id } });

    expect(answer.headers.get('X-Request-Id')).toMatch(UUID_V7);
  });

  test.each(['/up', '/api/v1/nothing', '/nothing', '/api/v1/accounts', '/api/v1/openapi.json'])(
    'sends %s with an id, and nobody may keep or sniff it',
    async (path) => {
      const { headers } = await served.ask(path);

      expect(headers.get('X-Request-Id')).toMatch(UUID_V7);
      expect(headers.get('Cache-Control')).toBe('private, no-store');
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.has('X-Powered-By')).toBe(false);
    },
  );

  test('shows browsers a page outside the API', async () => {
    const answer = await served.ask('/<script>alert(1)</script>', {
      headers: { Accept: 'text/html,*/*;q=0.8' },
    });

    expect(answer.status).toBe(404);
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(answer.text).toContain(answer.headers.get('X-Request-Id') ?? 'no id');
    expect(answer.text).not.toContain('<script>');
  });

  test('shows everybody else JSON outside the API', async () => {
    expect((await served.ask('/nothing')).body.error).toBe('not_found');
  });
});

describe('when something breaks', () => {
  test('tells the log everything and the client nothing', async () => {
    const { log, lines } = recordingLog('info');
    const bug = new Error('password is hunter2');
    const real = await withoutDatabase({}, log);
    await using served = await serve(withQuery(real, () => Promise.reject(bug)));

    const answer = await served.ask('/api/v1/accounts?search=private', { headers: { 'X-Api-Key': KEY } });

    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      error: 'internal_server_error',
      message: 'Something went wrong on our side',
    });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        event: 'request',
        method: 'GET',
        path: '/api/v1/accounts',
        status: 500,
        request_id: answer.headers.get('X-Request-Id'),
        err: expect.objectContaining({
          message: bug.message,
          stack: expect.stringContaining('errors.test.ts'),
        }),
      }),
    ]);
    await real.close();
  });

  test('warns of an answer that took more than a second', async () => {
    const { log, lines } = recordingLog('info');
    const real = await withoutDatabase({}, log);
    const rows = [{ key_id: 'k', scope: 'read', total: '0', id: null }];
    await using served = await serve(withQuery(real, () => delay(1_050, { rows })));

    await served.ask('/api/v1/accounts?search=private', { headers: { 'X-Api-Key': KEY } });

    const requests = lines.filter(({ event }) => event === 'request');
    expect(requests).toMatchObject([{ level: 'warn', status: 200, path: '/api/v1/accounts' }]);
    expect(requests[0]?.ms).toBeGreaterThan(1_000);
    await real.close();
  });

  test('names an outage in one line without a stack, and never the key', async () => {
    const { log, lines } = recordingLog('info');
    const runtime = await withoutDatabase({}, log);
    await using served = await serve(runtime);

    await served.ask('/api/v1/accounts', { headers: { 'X-Api-Key': KEY } });

    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'error',
      status: 503,
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(JSON.stringify(lines)).not.toContain(KEY);
    await runtime.close();
  });
});

describe('the address of the caller', () => {
  const FORWARDED = '203.0.113.9, 198.51.100.7, 192.0.2.3';

  test.each([
    ['0', '127.0.0.1'],
    ['1', '192.0.2.3'],
    ['2', '198.51.100.7'],
  ])('with %s trusted proxies is %s', async (hops, ip) => {
    const { log, lines } = recordingLog('debug');
    const runtime = await withoutDatabase({ TRUSTED_PROXY_HOPS: hops }, log);
    await using served = await serve(runtime);

    await served.ask('/nothing', { headers: { 'X-Forwarded-For': FORWARDED } });

    expect(lines).toEqual([expect.objectContaining({ level: 'debug', status: 404, ip })]);
    await runtime.close();
  });
});
