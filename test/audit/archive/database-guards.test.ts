import { IsolationLevel } from '@mikro-orm/postgresql';
import { describe, expect, test } from 'vitest';
import { archiveAuditEvents } from '#src/audit/archive/archive-audit-events.ts';
import { verifyArchives } from '#src/audit/archive/verify-archives.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { daysAgo, givenEvents, jobOn, storedIds, useArchive } from '#test/audit/archive/support.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const archives = useArchive(harness);

/** As the archive run removes, or somebody who has found out how. */
async function remove(where: string): Promise<unknown> {
  const client = await harness.runtime.pool.connect();
  try {
    await client.query(`begin; set local finance.audit_retention = 'on'`);
    const { rowCount } = await client.query(`delete from audit_events where ${where}`);
    await client.query('commit');
    return rowCount;
  } catch (error) {
    await client.query('rollback');
    return error;
  } finally {
    client.release();
  }
}

const keepTo = (tier: string) =>
  harness.query(
    'insert into audit_retention (tier) values ($1) on conflict (singleton) do update set tier = $1',
    [tier],
  );

const ago = (interval: string, offset = '0 seconds') =>
  `now() - interval '${interval}' + interval '${offset}'`;

async function givenEventAt(moment: string): Promise<void> {
  await harness.query(
    `insert into audit_events (id, created_at, event_type, actor_kind, metadata)
     values (gen_random_uuid(), ${moment}, 'login', 'web', '{}')`,
  );
}

describe('the database', () => {
  test.each([
    ['standard', '90 days'],
    ['extended', '1 year'],
    ['compliance', '1 year'],
  ])('with %s lets an event go after %s, and not seconds before, whoever asks', async (tier, age) => {
    await keepTo(tier);
    await givenEventAt(ago(age, '5 seconds'));
    expect(await remove('true')).toMatchObject({
      code: '23001',
      message: expect.stringContaining('before their time'),
    });

    await archives.archive('extended', { keep: true, shorten: true });
    await keepTo(tier);
    await givenEventAt(ago('100 days')).catch(() => undefined);
    expect(await remove(`created_at < ${ago(age)}`)).toBeTypeOf('number');
  });

  test('lets nothing go that is not archived, where the tier archives', async () => {
    await keepTo('extended');
    await givenEvents(harness, [daysAgo(400), daysAgo(399)]);
    expect(await remove('true')).toMatchObject({
      code: '23001',
      message: expect.stringContaining('archived'),
    });

    await archives.archive('extended', { keep: true });
    expect(await remove(`created_at < now() - interval '366 days'`)).toBe(2);
  });

  test('lets nothing go without the run that removes, or before the first one', async () => {
    await givenEvents(harness, [daysAgo(400)]);
    expect(await remove('true')).toMatchObject({ code: '23001' });
    await keepTo('standard');
    await expect(harness.query('delete from audit_events')).rejects.toMatchObject({ code: '23001' });
    await expect(harness.query('update audit_events set provider = null')).rejects.toMatchObject({
      code: '23001',
    });
    await expect(harness.query('truncate audit_events')).rejects.toMatchObject({ code: '23001' });
    expect(await storedIds(harness)).toHaveLength(1);
  });

  test('takes no event of a day that is archived', async () => {
    await givenEvents(harness, [daysAgo(100)]);
    await archives.archive('extended');

    await expect(givenEvents(harness, [daysAgo(100, { microseconds: 7 })])).rejects.toMatchObject({
      code: '23001',
    });
    await givenEvents(harness, [daysAgo(101), daysAgo(1)]);
    expect(await storedIds(harness)).toHaveLength(3);
  });

  test('keeps the records of archives as they are until their time', async () => {
    await givenEvents(harness, [daysAgo(400), daysAgo(100)]);
    await archives.archive('extended');
    const early = `update audit_archives set pruned_at = now() where day = '${daysAgo(100).slice(0, 10)}'`;

    await expect(harness.query(early)).rejects.toMatchObject({ code: '23514' });
    for (const change of [
      'delete from audit_archives',
      'truncate audit_archives',
      'update audit_archives set rows = rows + 1',
      `update audit_archives set tier = 'compliance', pruned_at = now()`,
    ]) {
      await expect(harness.query(change)).rejects.toMatchObject({ code: '23001' });
    }
    await harness.query(
      `update audit_archives set pruned_at = now() where day < now() - interval '380 days'`,
    );
    await expect(
      harness.query('update audit_archives set pruned_at = null where pruned_at is not null'),
    ).rejects.toMatchObject({ code: '23001' });
  });

  test.each([IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ])(
    'an event that comes while its day is recorded is counted, where the default is %s',
    async (isolation) => {
      const runtime = archives.runtimeWith('extended');
      const begunAs = async () => {
        const em = await runtime.entityManager();
        const begin = em.begin.bind(em);
        return Object.assign(em, { begin: () => begin({ isolationLevel: isolation }) });
      };
      await expectLateEventCounted({ ...runtime, entityManager: begunAs });
    },
  );
});

async function expectLateEventCounted(runtime: Runtime): Promise<void> {
  await givenEvents(harness, [daysAgo(100)]);
  const client = await harness.runtime.pool.connect();
  let hasCome = false;
  const comeLate = async () => {
    hasCome = true;
    await client.query('begin');
    await client.query(
      `insert into audit_events (id, created_at, event_type, actor_kind, metadata)
       values (gen_random_uuid(), $1, 'login', 'web', '{}')`,
      [daysAgo(100, { microseconds: 9 })],
    );
  };
  /** As soon as whoever records the day waits for what has come. */
  const commitWhenAwaited = async () => {
    for (;;) {
      const waiting = await harness.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (waiting.length > 0) break;
    }
    await client.query('commit');
    client.release();
  };
  let committed: Promise<void> | undefined;
  const report = await archiveAuditEvents(jobOn(runtime), {
    watch: async ({ name }) => {
      if (name !== 'manifest_stored' || hasCome) return;
      await comeLate();
      committed = commitWhenAwaited();
    },
  });
  await committed;

  expect(report.archives.map(({ rows }) => rows)).toEqual([2]);
  expect(await verifyArchives(archives.job('extended'))).toMatchObject({ problems: [], rows: 2 });
}
