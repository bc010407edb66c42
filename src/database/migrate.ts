import { Client } from 'pg';
import { explainRefusal } from '#src/database/explain-refusal.ts';
import {
  MIGRATIONS_PATH,
  MIGRATIONS_TABLE,
  pendingUpTo,
  readMigrationStatus,
  refuseNewerDatabase,
} from '#src/database/migration-status.ts';
import { connectionTo } from '#src/kernel/connection.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { createPool } from '#src/kernel/pool.ts';

/** An arbitrary number that means "migrating this service" to pg_advisory_lock. */
export const LOCK = 7_213_649_001;
const OLDEST_SERVER = 150_000;

/**
 * Runs every pending migration, or those up to and including `to`, under one database lock: of several processes started
 * at once, one migrates and the others find nothing left to do. Answers with the names it ran.
 */
export async function migrate(url: string, log: Log, to?: string): Promise<string[]> {
  // The lock belongs to a session, so it needs a connection of its own; a dying process releases it.
  const client = new Client({
    ...connectionTo(url),
    application_name: 'finance migration',
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const database = await readServer(client);
    await client.query(`select pg_advisory_lock(${LOCK})`);
    const status = await readMigrationStatus(client);
    refuseNewerDatabase(status);
    const names = pendingUpTo(status, to);
    if (names.length > 0) await runMigrations(url, database, log, names);
    return names;
  } catch (error) {
    throw explainRefusal(error);
  } finally {
    await client.end();
  }
}

async function runMigrations(url: string, database: string, log: Log, names: string[]): Promise<void> {
  const [{ MikroORM }, { Migrator }, { PostgresDialect }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('@mikro-orm/migrations'),
    import('kysely'),
  ]);
  const pool = createPool(url, { size: 2, applicationName: 'finance migration', statementTimeout: 0 }, log);
  const orm = new MikroORM({
    entities: [],
    discovery: { warnWhenNoEntities: false },
    // The migrator looks for a database of this name, and would reconnect to create it.
    dbName: database,
    driverOptions: new PostgresDialect({ pool }),
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: { path: MIGRATIONS_PATH, tableName: MIGRATIONS_TABLE, snapshot: false, allOrNothing: true },
    logger: () => undefined,
  });
  try {
    await orm.migrator.up({ migrations: names });
    log.info({ migrations: names }, 'database_migrated');
  } finally {
    await pool.end();
  }
}

/** The name of the database, when its server is recent enough. */
async function readServer(client: Client): Promise<string> {
  const { rows } = await client.query<{ database: string; number: string; version: string }>(
    `select current_database() as database, current_setting('server_version_num') as number,
      current_setting('server_version') as version`,
  );
  const [server] = rows;
  if (server && Number(server.number) >= OLDEST_SERVER) return server.database;
  throw new AppError('configuration_invalid', `PostgreSQL ${server?.version} is too old`, {
    hint: 'Use PostgreSQL 15 or later.',
  });
}
