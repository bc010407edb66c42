import type { QueryResultRow } from 'pg';
import type { Subject } from '#src/doctor/check.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

const PATIENCE_MS = 5_000;

/** The database as checks ask it: outside of any transaction, and not longer than five seconds for an answer. */
export async function databaseOf(subject: Subject): Promise<Sql> {
  const { pool } = await subject.runtime();
  return {
    sql: async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      // pg reads it from here too, though its types do not say so.
      const query = { text, values: [...values], query_timeout: PATIENCE_MS };
      return (await pool.query<Row>(query)).rows;
    },
  };
}
