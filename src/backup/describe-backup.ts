import { type ClientBase, escapeIdentifier } from 'pg';
import { keptOf, readMigrations, readSequenceNames, readTables } from '#src/backup/catalog.ts';
import { LEFT_OUT } from '#src/backup/left-out.ts';
import type { Manifest } from '#src/backup/manifest.ts';
import { productVersion } from '#src/backup/product-version.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** What will be in the backup. The first query takes the snapshot; no table changes its shape from then on. */
export async function describeBackup(runtime: Runtime, client: ClientBase): Promise<Manifest> {
  const tables = await readTables(client);
  const migrations = await readMigrations(client);
  if (migrations.length === 0) {
    throw new AppError('conflict', 'There is nothing to back up: the database has no tables yet', {
      hint: 'DATABASE_URL or DATA_DIR may lead to another database than you think: financectl config show.',
    });
  }
  // Nobody may drop or change a table that is still to be read.
  const names = tables.map(({ name }) => escapeIdentifier(name)).join(', ');
  await client.query(`lock table ${names} in access share mode`);
  const { config } = runtime;
  return {
    productVersion: productVersion(),
    createdAt: runtime.now().toISOString(),
    migrations,
    tables: keptOf(tables),
    sequences: await readSequences(client),
    leftOut: LEFT_OUT.filter((name) => tables.some((table) => table.name === name)),
    // With a database elsewhere, or SECRET_KEY_BASE set, the operator keeps it.
    holdsSecretKeyBase: config.database.url === undefined && config.secretKeyBase === undefined,
  };
}

/** Read after the snapshot was taken, so never behind the rows of it. */
async function readSequences(client: ClientBase): Promise<Manifest['sequences']> {
  const names = await readSequenceNames(client);
  if (names.length === 0) return [];
  const each = names.map(
    (name) =>
      `select ${client.escapeLiteral(name)} as name,
         (case when is_called then last_value + s.seqincrement else last_value end)::text as "nextValue"
       from ${escapeIdentifier(name)}, pg_sequence s where s.seqrelid = to_regclass(quote_ident(${client.escapeLiteral(name)}))`,
  );
  const { rows } = await client.query<Manifest['sequences'][number]>(each.join(' union all '));
  return rows;
}
