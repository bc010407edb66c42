import { describe, expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { createLog } from '#src/kernel/log.ts';
import { perform } from '#src/kernel/perform.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { listFamilies } from '#src/ledger/list-families.ts';
import { createRuntime } from '#src/runtime.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const names = async () => (await harness.perform(listFamilies)).map(({ name }) => name);

describe('a unit of work', () => {
  test('saves everything at its end', async () => {
    await harness.perform(async (work) => {
      await createFamily(work, { name: 'One', currency: 'USD' });
      await createFamily(work, { name: 'Two', currency: 'USD' });
    });

    expect(await names()).toEqual(['One', 'Two']);
  });

  test('saves nothing when it fails, however late', async () => {
    const failing = harness.perform(async (work) => {
      await createFamily(work, { name: 'One', currency: 'USD' });
      throw new Error('too late');
    });

    await expect(failing).rejects.toThrow('too late');
    expect(await names()).toEqual([]);
  });

  test('saves nothing as a dry run, and still answers', async () => {
    const family = await harness.perform((work) => createFamily(work, { name: 'One', currency: 'USD' }), {
      dryRun: true,
    });

    expect(family.name).toBe('One');
    expect(await names()).toEqual([]);
  });

  test('runs again after a deadlock, and gives up after the third', async () => {
    let attempts = 0;
    const deadlocked = () => {
      attempts += 1;
      throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    };
    const answer = await harness.perform(async () => (attempts === 1 ? 'done' : deadlocked()));

    expect(answer).toBe('done');
    attempts = 0;
    await expect(harness.perform(async () => deadlocked())).rejects.toThrow('deadlock');
    expect(attempts).toBe(3);
  });

  test('runs again after an error that was named, from nothing, and not after others', async () => {
    const options = { actor: { kind: 'system' }, retryAfter: ['23505'] } as const;
    let attempts = 0;
    const failingOnce = (code: string) =>
      perform(harness.runtime, options, async (work) => {
        attempts += 1;
        await createFamily(work, { name: `Attempt ${attempts}`, currency: 'USD' });
        if (attempts === 1) throw Object.assign(new Error('taken'), { code });
      });

    await failingOnce('23505');
    expect(await names()).toEqual(['Attempt 2']);

    attempts = 0;
    await expect(failingOnce('23514')).rejects.toThrow('taken');
    expect(await names()).toEqual(['Attempt 2']);
  });

  test('gives its connection back, whatever happened', async () => {
    const poolSize = harness.runtime.config.database.poolSize;
    for (let run = 0; run <= poolSize; run += 1) {
      await harness.perform(async (work) => work.sql('select 1 / 0')).catch(() => undefined);
    }

    expect(await names()).toEqual([]);
    expect(harness.runtime.pool.waitingCount).toBe(0);
  });

  test('gives its connection back when the database cuts it off in the middle', async () => {
    for (let run = 0; run <= harness.runtime.config.database.poolSize; run += 1) {
      const cutOff = harness.perform(async (work) => {
        const [backend] = await work.sql<{ pid: number }>('select pg_backend_pid() as pid');
        await harness.query('select pg_terminate_backend($1)', [backend?.pid]);
        await work.sql('select 1');
      });
      await expect(cutOff).rejects.toThrow();
    }

    expect(await names()).toEqual([]);
    expect(harness.runtime.pool.totalCount - harness.runtime.pool.idleCount).toBe(0);
  });

  test('gives its connection back when the database does not answer', async () => {
    const config = loadConfig({ DATABASE_URL: harness.databaseUrl, DATABASE_POOL_SIZE: '1' });
    const runtime = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 50 });
    const unanswered = perform(runtime, { actor: { kind: 'system' } }, async (work) => {
      // Without the server's own limit, only the client's is left: as if the server were frozen.
      await work.sql('set local statement_timeout = 0');
      await work.sql('select pg_sleep(3)');
    });

    await expect(unanswered).rejects.toThrow('Query read timeout');
    expect((await runtime.pool.query('select 1 as alive')).rows).toEqual([{ alive: 1 }]);
    await runtime.close();
  });

  test('sends values as parameters, never as text', async () => {
    const nasty = `'; drop table families; --`;

    expect(await harness.perform((work) => work.sql('select $1::text as echo', [nasty]))).toEqual([
      { echo: nasty },
    ]);
  });
});
