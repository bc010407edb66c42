import { expect, test } from 'vitest';
import { createKeyUsage } from '#src/http/key-usage.ts';
import { recordingLog, withoutDatabase, withQuery } from '#test/http/serve.ts';

test('a busy key costs one write a minute', async () => {
  const real = await withoutDatabase();
  const written: unknown[] = [];
  let now = new Date('2026-01-01T00:00:00Z');
  const runtime = withQuery({ ...real, now: () => now }, (...statement) => {
    written.push(statement[1]);
    return Promise.resolve({ rows: [] });
  });
  const usage = createKeyUsage(runtime);
  const use = async (...keys: string[]) => {
    for (const key of keys) usage.touch(key);
    await usage.flush();
  };

  await use('a', 'b', 'a');
  now = new Date('2026-01-01T00:00:59Z');
  await use('a', 'b');
  now = new Date('2026-01-01T00:01:00Z');
  await use('a');

  expect(written).toEqual([[['a', 'b']], [['a']]]);
  await real.close();
});

test('a write that fails is a warning and nothing else', async () => {
  const { log, lines } = recordingLog('info');
  const runtime = await withoutDatabase({}, log);
  const usage = createKeyUsage(runtime);

  usage.touch('a');
  await usage.flush();

  expect(lines).toEqual([expect.objectContaining({ level: 'warn', event: 'key_usage_not_saved' })]);
  await runtime.close();
});
