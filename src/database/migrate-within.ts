import type { ClientBase } from 'pg';
import { MIGRATIONS_PATH, MIGRATIONS_TABLE } from '#src/database/migration-status.ts';

export interface MigrationSteps {
  /** Taken back, the newest first. */
  down: readonly string[];
  /** Then run, in their order. */
  up: readonly string[];
}

/**
 * Runs migrations inside the transaction that is open on `client`: they come and go with it. MikroORM works on that one
 * connection, and its own transactions become savepoints.
 */
export async function migrateWithin(client: ClientBase, { down, up }: MigrationSteps): Promise<void> {
  if (down.length === 0 && up.length === 0) return;
  const [{ MikroORM }, { Migrator }, { PostgresDialect }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('@mikro-orm/migrations'),
    import('kysely'),
  ]);
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  const orm = new MikroORM({
    entities: [],
    discovery: { warnWhenNoEntities: false },
    // The migrator looks for a database of this name, and would reconnect to create it.
    dbName: rows[0]?.name ?? '',
    driverOptions: new PostgresDialect({ pool: poolOf(client) }),
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: { path: MIGRATIONS_PATH, tableName: MIGRATIONS_TABLE, snapshot: false, allOrNothing: true },
    logger: () => undefined,
  });
  if (down.length > 0) await orm.migrator.down({ migrations: [...down] });
  if (up.length > 0) await orm.migrator.up({ migrations: [...up] });
}

const SAVEPOINTS: Readonly<Record<string, string>> = {
  begin: 'savepoint migrations',
  commit: 'release savepoint migrations',
  rollback: 'rollback to savepoint migrations',
};

function poolOf(client: ClientBase) {
  const lent = Object.create(client, {
    release: { value: () => undefined },
    query: {
      value: (text: string, values: unknown[]) =>
        client.query(SAVEPOINTS[text.toLowerCase()] ?? text, values),
    },
  });
  return { connect: async () => lent, end: async () => undefined, options: {} };
}
