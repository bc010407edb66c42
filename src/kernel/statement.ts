import type { Pool } from 'pg';
import type { Config } from '#src/kernel/config.ts';

/** A named prepared statement. The text must be constant: one name, one text. */
export interface Statement {
  name: string;
  text: string;
}

/** For a query of node-postgres: its name, where poolers can keep names. */
export function named({ database }: Pick<Config, 'database'>, name: string): { name?: string } {
  return database.namedStatements ? { name } : {};
}

const names = new Map<string, string>();

/** More different texts than the code has; what is put together at run time must not fill every connection. */
const MOST_NAMES = 300;

/** Has a text that does not change planned once per connection, from now on. */
export function giveName(text: string): void {
  if (names.size < MOST_NAMES && !names.has(text)) names.set(text, `sql_${names.size}`);
}

/** The name that a text was given, in this process. */
export function nameOf(text: string): string | undefined {
  return names.get(text);
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
