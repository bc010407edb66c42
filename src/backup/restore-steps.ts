import { type ClientBase, escapeIdentifier } from 'pg';
import { readMigrations, readSequenceNames, readTables } from '#src/backup/catalog.ts';
import { copyIn } from '#src/backup/copy-in.ts';
import type { BackedUpTable, Manifest } from '#src/backup/manifest.ts';
import type { OpenBackup } from '#src/backup/open-backup.ts';
import { damaged } from '#src/backup/refusals.ts';
import { migrateWithin } from '#src/database/migrate-within.ts';
import { listMigrations, refuseNewerDatabase } from '#src/database/migration-status.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

/** What tells that a database is in use. Rows elsewhere may have been put there by migrations. */
const TELLING = ['users', 'families', 'audit_events', 'sso_providers'];

/** Nobody else writes from here to the end of the transaction; reading goes on. */
export async function lockTables(client: ClientBase): Promise<void> {
  const tables = await readTables(client);
  if (tables.length === 0) return;
  const names = tables.map(({ name }) => escapeIdentifier(name)).join(', ');
  await client.query(`lock table ${names} in exclusive mode`);
}

/** How many rows the tables have that tell whether a database is in use; only those that have some. */
export async function countHoldings(client: Pick<ClientBase, 'query'>): Promise<Record<string, number>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) name where to_regclass(quote_ident(name)) is not null`,
    [TELLING],
  );
  if (tables.length === 0) return {};
  const each = tables.map(({ name }) => `select '${name}' as name, count(*)::integer as count from ${name}`);
  const { rows } = await client.query<{ name: string; count: number }>(each.join(' union all '));
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]));
}

/** By `delete` and not by `truncate`: others go on seeing what was there until the transaction ends. */
export async function emptyTables(client: ClientBase): Promise<void> {
  const tables = await readTables(client);
  for (const { name } of tables) await client.query(`delete from ${escapeIdentifier(name)}`);
}

/** Refuses what a newer release has made: this one does not know what its tables look like. */
export function refuseNewerBackup({ migrations, productVersion }: Manifest): void {
  const known = listMigrations();
  const unknown = migrations.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new AppError(
    'validation_failed',
    `The backup is newer than this release: its database has run ${unknown.slice(0, 5).join(', ')}`,
    { hint: `Restore it with release ${productVersion}, which made it, or a newer one.` },
  );
}

/** Brings the schema to exactly these migrations. */
export async function migrateTo(client: ClientBase, target: readonly string[]): Promise<void> {
  const executed = await readMigrations(client);
  const known = listMigrations();
  refuseNewerDatabase({ executed, pending: [], unknown: executed.filter((name) => !known.includes(name)) });
  await migrateWithin(client, {
    down: executed.filter((name) => !target.includes(name)),
    up: target.filter((name) => !executed.includes(name)),
  });
}

/** The tables of the backup must be those of the schema its migrations make, with the same columns. */
export async function matchTables(client: ClientBase, { tables, leftOut }: Manifest): Promise<void> {
  const present = await readTables(client);
  const missing = present.find(({ name }) => !leftOut.includes(name) && !find(tables, name));
  if (missing) throw damaged(`it has no table ${missing.name}`);
  for (const { name, columns } of tables) {
    const table = find(present, name);
    if (!table || tables.filter((each) => each.name === name).length > 1) {
      throw damaged(`it has a table ${name}, which its migrations do not make`);
    }
    const [has, wants] = [columns.toSorted().join(', '), table.columns.toSorted().join(', ')];
    if (has !== wants) throw damaged(`its table ${name} has the columns ${has} instead of ${wants}`);
  }
}

function find(tables: readonly BackedUpTable[], wanted: string): BackedUpTable | undefined {
  return tables.find(({ name }) => name === wanted);
}

/** Loads every row. Throws when the backup turns out not to be as it was written. */
export async function loadRows(
  client: ClientBase,
  backup: OpenBackup,
  onProgress: (table: string, rows: number) => void,
): Promise<number> {
  let total = 0;
  for await (const { table, chunks } of backup.rows()) {
    const columns = table.columns.map(escapeIdentifier).join(', ');
    try {
      total += await copyIn(client, `copy ${escapeIdentifier(table.name)} (${columns}) from stdin`, chunks);
    } catch (error) {
      throw explain(error, table);
    }
    onProgress(table.name, total);
  }
  const written = [...backup.counts.values()].reduce((sum, rows) => sum + rows, 0);
  if (total !== written) throw damaged(`${written} rows were read, and the database took ${total}`);
  return total;
}

/** Class 22 and 23 of PostgreSQL's codes: a value that is none, or a row that no constraint allows. */
function explain(error: unknown, { name }: BackedUpTable): unknown {
  if (!/^2[23]/.test(errorCode(error) ?? '') || !(error instanceof Error)) return error;
  return damaged(`the database refuses a row of ${name} (${error.message})`, error);
}

export async function restoreSequences(client: ClientBase, { sequences }: Manifest): Promise<void> {
  const present = await readSequenceNames(client);
  for (const { name, nextValue } of sequences) {
    if (!present.includes(name)) throw damaged(`it has a sequence ${name}, which its migrations do not make`);
    // Unlike setval, it is taken back with the transaction.
    await client.query(`alter sequence ${escapeIdentifier(name)} restart with ${nextValue}`);
  }
}

/** Before the first query over the new rows: without statistics it may take minutes. */
export async function analyzeTables(client: ClientBase): Promise<void> {
  const tables = await readTables(client);
  await client.query(`analyze ${tables.map(({ name }) => escapeIdentifier(name)).join(', ')}`);
}
