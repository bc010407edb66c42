import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archiveAuditEvents } from '#src/audit/archive/archive-audit-events.ts';
import { pruneArchives } from '#src/audit/archive/prune-archives.ts';
import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import { verifyArchives } from '#src/audit/archive/verify-archives.ts';
import { expectAllKept } from '#test/audit/archive/ledger-of-events.ts';
import { Killed, mortalRun } from '#test/audit/archive/mortal.ts';
import {
  daysAgo,
  emptyAuditLog,
  givenEvents,
  recordedOf,
  storedIds,
  useArchive,
} from '#test/audit/archive/support.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const archives = useArchive(harness);

const aMoment = fc
  .tuple(fc.constantFrom(89, 91, 92, 100, 364, 367, 368, 400), fc.integer({ min: 0, max: 2 }))
  .map(([days, microseconds]) => daysAgo(days, { microseconds }));

const aHistory = fc.record({
  tier: fc.constantFrom('extended' as const, 'compliance' as const),
  events: fc.array(aMoment, { minLength: 3, maxLength: 12 }),
  /** Where the run is killed, and what comes late before the next one. */
  deaths: fc.array(fc.tuple(fc.integer({ min: 1, max: 45 }), fc.array(aMoment, { maxLength: 2 })), {
    minLength: 2,
    maxLength: 4,
  }),
});

/** What a minute does. */
const expireLease = () =>
  harness.query(`update job_leases set expires_at = now() - interval '1 second' where owner is not null`);

/** The ids of those that the log still takes: days that are archived are closed. */
async function givenLate(moments: readonly string[]): Promise<string[]> {
  const taken: string[] = [];
  for (const moment of moments) {
    const late = await givenEvents(harness, [moment]).catch((error: unknown) => {
      expect(error).toMatchObject({ code: '23001' });
      return [];
    });
    taken.push(...late.map(({ id }) => id));
  }
  return taken;
}

describe('audit archive, killed', () => {
  test('between any two steps, loses and doubles nothing, and goes on where it was', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(aHistory, async ({ tier, events, deaths }) => {
        await emptyAuditLog(harness);
        await rm(archives.folder, { recursive: true, force: true });
        const runtime = archives.runtimeWith(tier);
        const target = await openTarget(runtime.config);
        const ids = (await givenEvents(harness, events)).map(({ id }) => id);

        for (const [diesAt, late] of deaths) {
          const run = mortalRun(runtime, target, diesAt);
          const outcome = await archiveAuditEvents(run.job, run.options).catch((error: unknown) => error);
          if (run.isDead) expect(outcome).toBeInstanceOf(Killed);
          await expectAllKept(harness, runtime, ids);
          await expireLease();
          ids.push(...(await givenLate(late)));
        }

        await archives.archive(tier);
        await expectAllKept(harness, runtime, ids);
        const { problems } = await verifyArchives(archives.job(tier));
        expect(problems).toEqual([]);
        expect(await archives.archive(tier)).toMatchObject({ status: 'ok', archives: [], deleted: 0 });
        const [left] = await harness.query<{ count: number }>(
          `select count(*)::integer from audit_events where created_at < now() - interval '1 year'`,
        );
        expect(left?.count).toBe(0);
        const told = await recordedOf(harness, 'audit_archived');
        const sum = (key: string) => told.reduce((sum, facts) => sum + Number(facts[key]), 0);
        const [recorded] = await harness.query<{ rows: number }>(
          'select coalesce(sum(rows), 0)::integer as rows from audit_archives',
        );
        expect(sum('archived_rows')).toBe(recorded?.rows);
        expect(sum('removed_rows')).toBe(ids.length - (await storedIds(harness)).length);
      }),
      { numRuns: 6 },
    );
  });

  test('at every single step of a run over two days', { timeout: 120_000 }, async () => {
    const runtime = archives.runtimeWith('compliance');
    const target = await openTarget(runtime.config);
    const moments = [daysAgo(400), daysAgo(400), daysAgo(400, { microseconds: 5 }), daysAgo(100)];
    const ids = (await givenEvents(harness, moments)).map(({ id }) => id);

    let deaths = 0;
    for (let diesAt = 1; ; diesAt += 1) {
      await emptyAuditLog(harness);
      await rm(archives.folder, { recursive: true, force: true });
      await givenEvents(harness, moments).then((events) =>
        ids.splice(0, ids.length, ...events.map(({ id }) => id)),
      );
      const run = mortalRun(runtime, target, diesAt);
      await archiveAuditEvents(run.job, run.options).catch(() => undefined);
      if (!run.isDead) break;
      deaths += 1;
      await expectAllKept(harness, runtime, ids);
      await expireLease();
      await archives.archive('compliance');
      await expectAllKept(harness, runtime, ids);
    }

    expect(deaths).toBeGreaterThan(25);
    expect(await verifyArchives(archives.job('compliance'))).toMatchObject({
      archives: 2,
      problems: [],
      notes: [],
    });
  });
});

describe('audit prune, killed', () => {
  test('at every step leaves what the next run finishes', async () => {
    for (let diesAt = 1; ; diesAt += 1) {
      await emptyAuditLog(harness);
      await rm(archives.folder, { recursive: true, force: true });
      await givenEvents(harness, [daysAgo(400), daysAgo(100)]);
      await archives.archive('extended');
      const runtime = archives.runtimeWith('extended');
      const run = mortalRun(runtime, await openTarget(runtime.config), diesAt);
      await pruneArchives(run.job, run.options).catch(() => undefined);
      if (!run.isDead) break;
      expect((await verifyArchives(archives.job('extended'))).problems).toEqual([]);
      await expireLease();
      await pruneArchives(archives.job('extended'));
      expect(await verifyArchives(archives.job('extended'))).toMatchObject({
        archives: 1,
        problems: [],
        notes: [],
      });
    }
    expect(await recordedOf(harness, 'audit_pruned')).toEqual([
      { days: 1, rows: 1, from: daysAgo(400).slice(0, 10), to: daysAgo(400).slice(0, 10) },
    ]);
  });
});
