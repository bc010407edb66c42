import type { Runtime, Work } from '#src/kernel/work.ts';

/** Whatever runs SQL: a unit of work, or the process's pool. */
export type Sql = Pick<Work, 'sql'>;

/** Outside any unit of work. */
export function sqlOn(pool: Runtime['pool']): Sql {
  return {
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
  };
}
