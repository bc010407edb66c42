import type { PoolClient } from 'pg';
import Cursor from 'pg-cursor';
import type { Sql } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** A row as PostgreSQL prints it. */
export type TextRow = (string | null)[];

/** The database as it is at one moment, however long the reading takes. */
export interface Snapshot extends Sql {
  /** The rows of a query, batch by batch, no faster than they are taken. */
  batches(text: string, values: readonly unknown[]): AsyncGenerator<TextRow[]>;
}

/** Rows of a batch. One is in the hands of the reader while the next is fetched. */
export const BATCH = 250;

/**
 * For this transaction only. Whoever takes the rows may be slower than any limit; rows come in the order of an index
 * and are joined one by one, so that the first is there at once and none is set aside; the values decide the plan.
 * Settings that this PostgreSQL does not know are left out.
 */
const SETTINGS = `select set_config(name, wanted, true) from (values
  ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'), ('statement_timeout', '0'),
  ('plan_cache_mode', 'force_custom_plan'), ('enable_sort', 'off'), ('enable_bitmapscan', 'off'),
  ('max_parallel_workers_per_gather', '0')
) wanted (name, wanted) join pg_settings using (name)`;

const RAW = { getTypeParser: () => (text: string) => text };

/** Runs `task` in one transaction that only reads, and goes no further once `signal` is aborted. */
export async function inSnapshot<Result>(
  pool: Runtime['pool'],
  signal: AbortSignal,
  task: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let isReading = false;
  const snapshot: Snapshot = {
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(text, [...values])).rows,
    batches: async function* (text, values) {
      isReading = true;
      yield* readBatches(client, text, values);
      isReading = false;
    },
  };
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query(SETTINGS);
    const result = await unlessAborted(signal, task(snapshot));
    if (!isReading) await client.query('commit');
    // In the middle of an answer it is of no use to others.
    client.release(isReading);
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function* readBatches(
  client: PoolClient,
  text: string,
  values: readonly unknown[],
): AsyncGenerator<TextRow[]> {
  const cursor = client.query(new Cursor<TextRow>(text, [...values], { rowMode: 'array', types: RAW }));
  let next = read(cursor);
  for (let rows = await next; rows.length > 0; rows = await next) {
    next = read(cursor);
    yield rows;
  }
}

/** Asked for before it is needed, so an error may come while nobody waits for it. */
function read(cursor: Cursor<TextRow>): Promise<TextRow[]> {
  const rows = cursor.read(BATCH);
  rows.catch(() => undefined);
  return rows;
}

/** Somebody who does not take what is there must not keep us from ending. */
async function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
