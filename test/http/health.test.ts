import { expect, test } from 'vitest';
import { recordingLog, serve, withoutDatabase, withQuery } from '#test/http/serve.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

test('/up needs nothing but the process', async () => {
  const runtime = await withoutDatabase();
  await using served = await serve(runtime);

  expect(await served.ask('/up')).toMatchObject({ status: 200, body: { status: 'up' } });
  await runtime.close();
});

test('/readyz is 200 when the database and its schema are there', async () => {
  await using served = await serve(harness.runtime);

  expect(await served.ask('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', database: 'ok', migrations: 'ok', draining: false },
  });
});

test('/readyz is 503 while the database is down, and says nothing at info', async () => {
  const { log, lines } = recordingLog('info');
  const runtime = await withoutDatabase({}, log);
  await using served = await serve(runtime);

  const answer = await served.ask('/readyz');

  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('1');
  expect(answer.body).toMatchObject({
    error: 'service_unavailable',
    details: { database: 'unreachable', migrations: 'unknown', draining: false },
  });
  expect(lines).toEqual([]);
  await runtime.close();
});

test('/readyz is 503 while a migration is pending', async () => {
  await harness.query('alter table schema_migrations rename to elsewhere');
  await using served = await serve(harness.runtime);

  const answer = await served.ask('/readyz');
  await harness.query('alter table elsewhere rename to schema_migrations');

  expect(answer).toMatchObject({ status: 503, body: { details: { database: 'ok', migrations: 'pending' } } });
});

test('/readyz gives a frozen database one second and one connection', async () => {
  let asked = 0;
  const query = () => {
    asked += 1;
    return new Promise(() => undefined);
  };
  await using served = await serve(withQuery(harness.runtime, query));
  const started = performance.now();

  const answers = await Promise.all([served.ask('/readyz'), served.ask('/readyz'), served.ask('/readyz')]);

  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(performance.now() - started).toBeLessThan(1_800);
  expect(asked).toBe(1);
});

test('/readyz asks the database at most once a second', async () => {
  let asked = 0;
  const { pool } = harness.runtime;
  const counted = (statement: unknown) => {
    asked += 1;
    return pool.query(String(statement));
  };
  await using served = await serve(withQuery(harness.runtime, counted));

  for (let i = 0; i < 5; i += 1) await served.ask('/readyz');

  expect(asked).toBe(1);
});
