import { describe, expect, test } from 'vitest';
import { takeLease } from '#src/kernel/lease.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import { expectAllKept } from '#test/audit/archive/ledger-of-events.ts';
import { daysAgo, givenEvents, storedIds, useArchive } from '#test/audit/archive/support.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const archives = useArchive(harness);
const NAME = 'audit_retention';

const expire = () => harness.query(`update job_leases set expires_at = now() - interval '1 second'`);

describe('a lease', () => {
  test('is had by one, proved in a transaction, and let go', async () => {
    const lease = await takeLease(harness.runtime, NAME);

    await expect(takeLease(harness.runtime, NAME)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringMatching(/until \d{4}-/),
    });
    await harness.perform((work) => lease.prove(work));
    await lease.release();
    await (await takeLease(harness.runtime, NAME)).release();
  });

  test('runs out, is taken over, and is then nothing to whoever had it', async () => {
    const first = await takeLease(harness.runtime, NAME);
    await expire();
    await first.prove(sqlOn(harness.runtime.pool));
    await expire();
    const second = await takeLease(harness.runtime, NAME);

    await expect(first.prove(sqlOn(harness.runtime.pool))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await first.release();
    await second.prove(sqlOn(harness.runtime.pool));
    await second.release();
  });
});

describe('two runs at once', () => {
  test('do the work once', async () => {
    const ids = (await givenEvents(harness, [daysAgo(400), daysAgo(399), daysAgo(100), daysAgo(1)])).map(
      ({ id }) => id,
    );

    const runs = await Promise.allSettled([archives.archive('extended'), archives.archive('extended')]);

    expect(runs.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    for (const run of runs) {
      if (run.status === 'rejected') expect(run.reason).toMatchObject({ code: 'service_unavailable' });
    }
    await expectAllKept(harness, archives.runtimeWith('extended'), ids);
    expect(await storedIds(harness)).toHaveLength(2);
  });

  test.each(['day_written', 'manifest_stored', 'archive_checked'])(
    'one that stalls at %s until another has taken over changes nothing more',
    async (stallsAt) => {
      const ids = (await givenEvents(harness, [daysAgo(400), daysAgo(100)])).map(({ id }) => id);
      const awake = Promise.withResolvers<void>();
      const stalled = Promise.withResolvers<void>();
      const watch = ({ name }: { name: string }) => {
        if (name !== stallsAt) return undefined;
        stalled.resolve();
        return awake.promise;
      };
      const slow = archives.archive('extended', { watch }).catch((error: unknown) => error);
      await stalled.promise;
      await expire();
      await archives.archive('extended');
      const before = await harness.query('select * from audit_archives order by position');
      awake.resolve();

      expect(await slow).toMatchObject({
        code: 'service_unavailable',
        message: expect.stringContaining('taken over'),
      });
      expect(await harness.query('select * from audit_archives order by position')).toEqual(before);
      await expectAllKept(harness, archives.runtimeWith('extended'), ids);
    },
  );
});
