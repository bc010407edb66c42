import type { PoolClient } from 'pg';
import Cursor from 'pg-cursor';
import type { Runtime } from '#src/kernel/work.ts';

/** How many rows are in memory at a time. */
const BATCH = 100;

/** Reads rows, batch by batch. */
export type ReadRows = (text: string, values: readonly unknown[]) => AsyncIterable<object[]>;

/** What `read` makes of the database as it is at one moment, however long the reading takes. */
export async function* inSnapshot<Item>(
  pool: Runtime['pool'],
  read: (rows: ReadRows) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin isolation level repeatable read read only');
    // Whoever takes the rows may be slower than any limit.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    yield* read((text, values) => readBatches(client, text, values));
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A connection in an unknown state is not used again.
    if (!failure) await client.query('rollback').catch((error: Error) => (failure = error));
    client.release(failure);
  }
}

async function* readBatches(
  client: PoolClient,
  text: string,
  values: readonly unknown[],
): AsyncGenerator<object[]> {
  const cursor = client.query(new Cursor<object>(text, [...values]));
  try {
    for (;;) {
      const rows = await cursor.read(BATCH);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    await cursor.close();
  }
}
