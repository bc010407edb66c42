import type { Pool } from 'pg';

/** A named prepared statement. The text must be constant: one name, one text. */
export interface Statement {
  name: string;
  text: string;
}

/** Columns as PostgreSQL prints them: no parsing where the answer is text anyway. */
const RAW = { getTypeParser: () => (text: string) => text };

export type RawRow = Record<string, string | null>;

/**
 * Runs one read as one named statement on the process's pool, outside any transaction.
 * PostgreSQL plans it once per connection; planning costs ten times the execution.
 */
export async function runStatement<Row extends object = RawRow>(
  pool: Pool,
  { name, text }: Statement,
  values: readonly (string | number | Buffer | null)[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name, text, values: [...values], types: RAW });
  return rows;
}
