import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { Subject } from '#src/doctor/check.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

const PATIENCE_MS = 5_000;

/** The database as checks ask it: outside of any transaction. */
export async function databaseOf(subject: Subject): Promise<Sql> {
  const { pool } = await subject.runtime();
  return {
    sql: async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
  };
}

/** pg reads it from here too, though its types do not say so. */
interface TimedQuery extends QueryConfig {
  query_timeout: number;
}

/** The same pool, but no query of it is waited for longer than five seconds: somebody may hold a lock. */
export function impatient(pool: Pool, patience = PATIENCE_MS): Pool {
  const query = (asked: string | QueryConfig, values?: unknown[]) => {
    const whole = typeof asked === 'string' ? { text: asked } : asked;
    const timed: TimedQuery = { ...whole, ...(values && { values }), query_timeout: patience };
    return pool.query(timed);
  };
  return Object.create(pool, { query: { value: query } });
}
