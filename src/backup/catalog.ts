import type { ClientBase } from 'pg';
import { LEFT_OUT } from '#src/backup/left-out.ts';
import type { BackedUpTable } from '#src/backup/manifest.ts';
import { MIGRATIONS_TABLE } from '#src/database/migration-status.ts';

/**
 * Every table of the schema with its columns, found from the catalog, so that later migrations are covered too.
 * Generated columns make themselves. What the migrations have written about themselves is not data.
 */
export async function readTables(client: ClientBase): Promise<BackedUpTable[]> {
  const { rows } = await client.query<BackedUpTable>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> $1
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     group by c.relname order by c.relname`,
    [MIGRATIONS_TABLE],
  );
  return rows;
}

/** Those whose rows belong into a backup. */
export function keptOf(tables: readonly BackedUpTable[]): BackedUpTable[] {
  return tables.filter(({ name }) => !LEFT_OUT.includes(name));
}

/** Sequences, except the one of the migrations. */
export async function readSequenceNames(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'S' and not exists (
       select from pg_depend d where d.objid = c.oid and d.refobjid = to_regclass(quote_ident($1)))
     order by c.relname`,
    [MIGRATIONS_TABLE],
  );
  return rows.map(({ name }) => name);
}

export async function readMigrations(client: ClientBase): Promise<string[]> {
  const { rows: found } = await client.query(`select 1 where to_regclass(quote_ident($1)) is not null`, [
    MIGRATIONS_TABLE,
  ]);
  if (found.length === 0) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by name`);
  return rows.map(({ name }) => name);
}
