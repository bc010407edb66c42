/**
 * A join that finds one row of a family's table by its primary key, and cannot be planned as anything else.
 * Every table holds family_id, so the planner could also join any two of them by it alone; with the statistics of
 * a table that has just grown it does, and reads a family's rows for each row. `limit 1` keeps the look-up apart.
 */
export function lookUp(join: string, table: string, alias: string, familyId: string, id: string): string {
  return `${join} lateral (
    select * from ${table} where ${table}.family_id = ${familyId} and ${table}.id = ${id} limit 1
  ) ${alias} on true`;
}
