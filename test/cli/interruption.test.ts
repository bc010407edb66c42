import { describe, expect, test, vi } from 'vitest';
import { interruptible } from '#cli/interruption.ts';
import type { Work } from '#src/kernel/work.ts';

const sql = vi.fn(async () => []);
const work = { now: () => new Date(0), sql } as unknown as Work;

describe('an interrupted task', () => {
  test('runs no further statement', async () => {
    const stop = new AbortController();
    const task = interruptible(stop.signal, async (work) => {
      await work.sql('select 1');
      stop.abort('SIGINT');
      return work.sql('select 2');
    });

    await expect(task(work)).rejects.toBe('SIGINT');
    expect(sql).toHaveBeenCalledExactlyOnceWith('select 1', undefined);
  });

  test('fails even when it came to its end, so that it is not committed', async () => {
    const stop = new AbortController();
    const task = interruptible(stop.signal, async () => stop.abort('SIGTERM'));

    await expect(task(work)).rejects.toBe('SIGTERM');
  });

  test('is the task itself as long as nothing happens', async () => {
    const task = interruptible(new AbortController().signal, async (work) => work.now());

    expect(await task(work)).toEqual(new Date(0));
  });
});
