import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Migration } from '@mikro-orm/migrations';
import { MIGRATIONS_PATH } from '#src/database/migration-status.ts';

export interface MigrationSql {
  name: string;
  sql: string;
}

/** What these migrations run; no database is asked. */
export function readMigrationSql(names: readonly string[]): Promise<MigrationSql[]> {
  return Promise.all(names.map(async (name) => ({ name, sql: await sqlOf(name) })));
}

async function sqlOf(name: string): Promise<string> {
  const module: Record<string, new () => Migration> = await import(
    pathToFileURL(join(MIGRATIONS_PATH, `${name}.ts`)).href
  );
  const Class = module[name];
  if (!Class) throw new Error(`${name}.ts does not export ${name}`);
  const migration = new Class();
  await migration.up();
  return migration
    .getQueries()
    .map((query) => terminated(textOf(query)))
    .join('\n\n');
}

/** Ours are written by hand, as text. */
function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  throw new Error('a migration holds something else than text');
}

function terminated(query: string): string {
  const text = query.trim();
  return text.endsWith(';') ? text : `${text};`;
}
