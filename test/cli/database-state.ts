import type { Harness } from '#test/support/database.ts';

const TABLES = `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname = 'public' order by 1`;

/** A digest of all rows of every table, in one statement. */
export async function databaseState(harness: Harness): Promise<Record<string, string>> {
  const tables = await harness.query<{ name: string }>(TABLES);
  const digests = tables.map(
    ({ name }) =>
      `(select coalesce(md5(string_agg(t::text, chr(10) order by t::text)), '') from "${name}" t) as "${name}"`,
  );
  const [state] = await harness.query<Record<string, string>>(`select ${digests.join(', ')}`);
  return state ?? {};
}
