import type { ClientBase, Pool, PoolClient } from 'pg';
import { joinEmbeddedDatabase } from '#src/embedded/join-embedded-database.ts';
import type { Config } from '#src/kernel/config.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { createPool } from '#src/kernel/pool.ts';

export interface OwnerAccess {
  readonly client: PoolClient;
  /** Triggers and foreign keys rest, or work again, for the rest of the transaction. */
  readonly triggers: (state: 'rest' | 'work') => Promise<void>;
  /** Ends what is running there. */
  readonly cancel: () => void;
  release(): Promise<void>;
}

/** One connection as the owner of the tables that may also turn triggers off. */
export async function reachOwner(config: Config, log: Log): Promise<OwnerAccess> {
  const address = await findAddress(config);
  const pool = createPool(
    address.url,
    { size: 2, applicationName: 'finance restore', statementTimeout: 0 },
    log,
  );
  const release = async () => {
    await pool.end();
    await address.release();
  };
  try {
    const client = await pool.connect();
    return {
      client,
      triggers: (state) => setTriggers(client, state, address.owner),
      cancel: () => cancel(pool, client),
      release: async () => {
        if (client.getTransactionStatus() !== 'I') await client.query('rollback').catch(() => undefined);
        client.release(true);
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** In the embedded database the owner of the tables may do nothing else, so its superuser lends it a hand. */
async function findAddress({ database, dataDir }: Config) {
  if (database.url) {
    return { url: database.migrationUrl ?? database.url, owner: undefined, release: async () => undefined };
  }
  const embedded = await joinEmbeddedDatabase({ dataDir, port: database.embeddedPort });
  const { username, pathname } = new URL(embedded.connectionString);
  const url = new URL(embedded.superuserConnectionString);
  url.pathname = pathname;
  return { url: url.href, owner: username, release: () => embedded.release() };
}

/** A role keeps what was set before it was taken on; what is made from then on is its own. */
async function setTriggers(client: ClientBase, state: 'rest' | 'work', owner: string | undefined) {
  const role = state === 'rest' ? 'replica' : 'origin';
  try {
    if (owner !== undefined) await client.query('set local role none');
    await client.query(`set local session_replication_role = ${role}`);
    if (owner !== undefined) await client.query(`set local role ${client.escapeIdentifier(owner)}`);
  } catch (error) {
    throw errorCode(error) === '42501' ? mayNot(error) : error;
  }
}

function mayNot(cause: unknown): AppError {
  return new AppError('configuration_invalid', 'The database role may not turn triggers off for a restore', {
    hint: 'As a superuser of that database: grant set on parameter session_replication_role to the role of MIGRATION_DATABASE_URL, or of DATABASE_URL where that is not set; revoke it afterwards.',
    cause,
  });
}

function cancel(pool: Pool, client: PoolClient & { processID?: number | null }): void {
  pool.query('select pg_cancel_backend($1)', [client.processID]).catch(() => undefined);
}
