import { Agent, get as httpGet } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { stopHttpServer } from '#src/http/http-server.ts';
import { serve, withoutDatabase, withQuery } from '#test/http/serve.ts';

const KEY = { 'X-Api-Key': `fin_${'A'.repeat(43)}` };

/** A server whose database answers only when told to. */
async function serveSlowly() {
  const runtime = await withoutDatabase();
  const entered = Promise.withResolvers<void>();
  const rows = Promise.withResolvers<{ rows: object[] }>();
  const query = () => {
    entered.resolve();
    return rows.promise;
  };
  const served = await serve(withQuery(runtime, query));
  return {
    served,
    entered: entered.promise,
    finish: () => rows.resolve({ rows: [{ key_id: 'k', scope: 'read', total: '0', id: null }] }),
  };
}

test('a request in flight is answered, and its connection then closed', async () => {
  const { served, entered, finish } = await serveSlowly();
  const asking = served.ask('/api/v1/accounts', { headers: KEY });
  await entered;

  served.app.drain();
  const stopping = stopHttpServer(served.server);
  await expect(fetch(`${served.url}/up`)).rejects.toThrow();
  finish();
  const answer = await asking;

  expect(answer.status).toBe(200);
  expect(answer.headers.get('Connection')).toBe('close');
  expect(await stopping).toBe(true);
});

test('until the listener closes, the server answers but is not ready', async () => {
  const runtime = await withoutDatabase();
  await using served = await serve(runtime);

  served.app.drain();

  const ready = await served.ask('/readyz');
  expect(ready.status).toBe(503);
  expect(ready.body.details.draining).toBe(true);
  expect(ready.headers.get('Connection')).toBe('close');
  expect((await served.ask('/up')).status).toBe(200);
  await runtime.close();
});

test('a request already on its way over an idle connection is answered', async () => {
  const runtime = await withoutDatabase();
  const served = await serve(runtime);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<number | undefined>((resolve, reject) => {
      httpGet(`${served.url}/up`, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      }).on('error', reject);
    });
  await ask();

  served.app.drain();
  const stopping = stopHttpServer(served.server);

  expect(await ask()).toBe(200);
  expect(await stopping).toBe(true);
  agent.destroy();
  await runtime.close();
});

test('connections that say nothing do not hold up the stop', async () => {
  const runtime = await withoutDatabase();
  const served = await serve(runtime);
  const connected = new Promise((resolve) => served.server.once('connection', resolve));
  const socket = connect({ port: served.port, host: '127.0.0.1' });
  await connected;
  const closed = new Promise((resolve) => socket.resume().once('close', resolve));
  const started = performance.now();

  served.app.drain();

  expect(await stopHttpServer(served.server)).toBe(true);
  await closed;
  expect(performance.now() - started).toBeLessThan(4_000);
  await runtime.close();
});
