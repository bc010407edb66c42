import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Client, type Connection, type PoolClient } from 'pg';
import { describe, expect, test } from 'vitest';
import { AUDIT_FIELDS } from '#src/audit/audit-fields.ts';
import type { AuditFilter, AuditRow } from '#src/audit/audit-row.ts';
import { ENCODINGS, type ExportFormat } from '#src/audit/export/encodings.ts';
import { type Exported, exportAuditEvents, type Take } from '#src/audit/export/export-audit-events.ts';
import { BATCH, inSnapshot } from '#src/audit/export/snapshot.ts';
import { listAuditEvents } from '#src/audit/list-audit-events.ts';
import { csvRecord } from '#src/kernel/csv.ts';
import { isSafe } from '#src/kernel/safe-text.ts';
import { givenEvents, givenSeries } from '#test/audit/given-events.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenUser } from '#test/users/given-user.ts';

const harness = useRuntime();

interface Wanted {
  filter: AuditFilter;
  format?: ExportFormat;
  signal?: AbortSignal;
}

function exporting({ filter, format = 'ndjson', signal }: Wanted, take: Take): Promise<Exported> {
  const request = { filter, format, includeArchive: false, signal: signal ?? new AbortController().signal };
  return exportAuditEvents(harness.runtime, request, take);
}

async function exportText(wanted: Wanted): Promise<string> {
  let text = '';
  await exporting(wanted, async (chunks) => {
    for await (const chunk of chunks) text += chunk;
  });
  return text;
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('an export during traffic', () => {
  test('holds every event that was committed before it exactly once, and none that came later', async () => {
    const userId = randomUUID();
    await givenSeries(harness, userId, 4 * BATCH);
    const late = await openTransaction();
    await givenEvents(late, [{ user_id: userId, request_id: 'late', created_at: '2026-03-01T00:00:00.5Z' }]);

    let text = '';
    await exporting({ filter: { userId } }, async (chunks) => {
      for await (const chunk of chunks) {
        if (text === '') await late.commit();
        await givenEvents(harness, [
          { user_id: userId, request_id: 'earlier', created_at: '2026-02-01T00:00:00Z' },
          { user_id: userId, request_id: 'between', created_at: '2026-03-01T00:16:00Z' },
          { user_id: userId, request_id: 'newest' },
        ]);
        text += chunk;
      }
    });

    const numbers = linesOf(text).map(({ request_id }) => request_id);
    expect(numbers).toEqual(Array.from({ length: 4 * BATCH }, (_, index) => String(index + 1)));
  });

  test('keeps events of one moment in the order of their ids across batches', async () => {
    const userId = randomUUID();
    const moment = '2026-03-01T12:00:00.123456Z';
    const ids = await givenEvents(
      harness,
      Array.from({ length: 3 * BATCH + 1 }, () => ({ user_id: userId, created_at: moment })),
    );

    const text = await exportText({ filter: { userId } });

    expect(linesOf(text).map(({ id }) => id)).toEqual(ids.toSorted());
  });
});

/** A transaction that is still open. */
async function openTransaction() {
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  return {
    query: async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows,
    commit: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}

describe('a reader of an export', () => {
  test('who is slow keeps the database waiting: no more than two batches are in memory', async () => {
    const userId = randomUUID();
    await givenSeries(harness, userId, 8 * BATCH);
    let fetched = 0;
    const watch = ({ connection }: PoolClient & { connection?: Connection }) =>
      connection?.on('dataRow', () => (fetched += 1));
    harness.runtime.pool.once('acquire', watch);

    const waiting: number[] = [];
    await exporting({ filter: { userId } }, async (chunks, exported) => {
      let taken = 0;
      for await (const _ of chunks) {
        // Enough time for everything to come, if it came by itself.
        for (let round = 0; round < 5; round += 1) await harness.query('select 1');
        waiting.push(fetched - taken);
        taken = exported.rows;
      }
    });

    expect(waiting).toHaveLength(8);
    expect(Math.max(...waiting)).toBeLessThanOrEqual(2 * BATCH + 20);
    expect(fetched).toBeGreaterThanOrEqual(8 * BATCH);
  });

  test('who leaves early ends it, and the connection serves others', async () => {
    const userId = randomUUID();
    await givenSeries(harness, userId, 4 * BATCH);

    const exported = await exporting({ filter: { userId } }, async (chunks) => {
      for await (const _ of chunks) break;
    });

    expect(exported).toMatchObject({ rows: BATCH, isComplete: false });
    const { idleCount, totalCount } = harness.runtime.pool;
    expect(idleCount).toBe(totalCount);
    expect(await exportText({ filter: { userId } })).toContain(`"request_id":"${4 * BATCH}"`);
  });

  test('who takes nothing any more does not keep it from being interrupted', async () => {
    const userId = randomUUID();
    await givenSeries(harness, userId, 4 * BATCH);
    const stop = new AbortController();

    const exported = exporting({ filter: { userId }, signal: stop.signal }, async (chunks) => {
      for await (const _ of chunks) {
        stop.abort('SIGINT');
        await new Promise(() => undefined);
      }
    });

    await expect(exported).rejects.toBe('SIGINT');
    expect(harness.runtime.pool.idleCount).toBe(harness.runtime.pool.totalCount);
  });

  test('who fails is told his own error', async () => {
    const userId = randomUUID();
    await givenSeries(harness, userId, 2);

    const exported = exporting({ filter: { userId } }, async () => {
      throw new Error('the disk is full');
    });

    await expect(exported).rejects.toThrow('the disk is full');
  });
});

const settingOf = (name: string) =>
  inSnapshot(harness.runtime.pool, new AbortController().signal, async ({ sql }) => {
    const [row] = await sql<{ value: string }>('select current_setting($1) as value', [name]);
    return row?.value;
  });

describe('the transaction of an export', () => {
  test.each([
    ['transaction_isolation', 'repeatable read'],
    ['transaction_read_only', 'on'],
    ['idle_in_transaction_session_timeout', '0'],
    ['statement_timeout', '0'],
  ])('has %s %s', async (name, value) => {
    expect(await settingOf(name)).toBe(value);
  });

  test('leaves the connection as it was', async () => {
    await settingOf('statement_timeout');
    const [row] = await harness.query(`select current_setting('statement_timeout') as limit,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('enable_sort') as sort`);

    expect(row).toEqual({ limit: '8s', idle: '1min', sort: 'on' });
  });

  test.each([
    ['nothing', [null, null, null, null, null, null]],
    ['a type', ['login', null, null, null, null, null]],
    ['a user', [null, randomUUID(), null, null, null, null]],
    ['an actor', [null, null, randomUUID(), null, null, null]],
    ['a provider', [null, null, null, 'okta', null, null]],
    ['a stretch of time', [null, null, null, null, '2026-03-01', '2026-03-02']],
  ])('reads in the order of an index, without sorting, when %s is asked for', async (_, values) => {
    const plan = await inSnapshot(harness.runtime.pool, new AbortController().signal, ({ sql }) =>
      sql<{ 'QUERY PLAN': string }>(`explain ${ENCODINGS.ndjson.sql}`, values),
    );

    const steps = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(steps).toContain('Index Scan Backward using audit_events_');
    expect(steps).not.toMatch(/Sort|Hash Join|Bitmap/);
  });
});

describe('the JSON document', () => {
  test.each([0, 1, 2, BATCH, BATCH + 1, 2 * BATCH])('of %i events can be read', async (count) => {
    const userId = randomUUID();
    if (count > 0) await givenSeries(harness, userId, count);

    const document = JSON.parse(await exportText({ filter: { userId }, format: 'json' }));

    expect(document).toHaveLength(count);
  });
});

/** Text that PostgreSQL can store. */
const text = fc
  .string({ unit: 'binary', maxLength: 20 })
  .map((value) => value.replaceAll('\0', '').toWellFormed());
const cell = fc.oneof(
  text,
  fc.constantFrom(
    '=1+1',
    '+1',
    '-1',
    '@a',
    '\t=1',
    '\r=1',
    'a,"b"\r\nc',
    ' x ',
    '\u001b[2J\u202e',
    'żółć 🏦',
  ),
);

describe('whatever was recorded', () => {
  test('reads as in audit list, in every format, and does nothing to a terminal', async () => {
    const { id } = await givenUser(harness, 'ada@example.com');
    const event = fc.record({
      provider: fc.option(cell),
      user_agent: fc.option(cell),
      request_id: fc.option(cell),
      metadata: fc.dictionary(
        cell.filter((key) => key !== '__proto__'),
        fc.oneof(cell, fc.integer()),
        { maxKeys: 3 },
      ),
      created_at: fc
        .date({ min: new Date('2000-01-01'), max: new Date('2026-06-01'), noInvalidDate: true })
        .map((date) => date.toISOString().replace('Z', '987Z')),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), async (events) => {
        const actorId = randomUUID();
        await givenEvents(
          harness,
          events.map((facts) => ({ ...facts, user_id: id, actor_id: actorId })),
        );
        const filter = { actorId };
        const { items } = await harness.perform((work) => listAuditEvents(work, { ...filter, limit: 100 }));
        const listed = items.toReversed();

        const [ndjson, csv] = [await exportText({ filter }), await exportText({ filter, format: 'csv' })];

        expect(linesOf(ndjson)).toEqual(listed.map(present));
        expect(linesOf(ndjson).map((line) => Object.keys(line))).toEqual(
          listed.map(() => AUDIT_FIELDS.map(({ key }) => key)),
        );
        expect(csv).toBe(
          [csvHeading(), ...listed.map((row) => csvRecord(AUDIT_FIELDS.map(({ value }) => value(row))))]
            .map((record) => `${record}\n`)
            .join(''),
        );
        expect([...ndjson.split('\n'), ...csv.split('\n')].every(isSafe)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });
});

function csvHeading(): string {
  return AUDIT_FIELDS.map(({ key }) => key).join(',');
}

function present(row: AuditRow): Record<string, unknown> {
  return {
    ...Object.fromEntries(AUDIT_FIELDS.map(({ key, value }) => [key, value(row)])),
    metadata: row.metadata,
  };
}
