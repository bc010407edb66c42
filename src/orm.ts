import { type EntityClass, MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { AuditEvent } from '#src/audit/audit-event.entity.ts';
import { ApiKey } from '#src/auth/api-key.entity.ts';
import { Import } from '#src/imports/import.entity.ts';
import { nameOf } from '#src/kernel/statement.ts';
import { Account } from '#src/ledger/account.entity.ts';
import { Category } from '#src/ledger/category.entity.ts';
import { Entry } from '#src/ledger/entry.entity.ts';
import { Family } from '#src/ledger/family.entity.ts';
import { Merchant } from '#src/ledger/merchant.entity.ts';
import { RejectedTransfer } from '#src/ledger/rejected-transfer.entity.ts';
import { Tag } from '#src/ledger/tag.entity.ts';
import { Transaction } from '#src/ledger/transaction.entity.ts';
import { Transfer } from '#src/ledger/transfer.entity.ts';
import { Identity } from '#src/sso/identities/identity.entity.ts';
import { StoredProvider } from '#src/sso/providers/provider.entity.ts';
import { User } from '#src/users/user.entity.ts';

const ENTITIES: EntityClass[] = [
  Account,
  ApiKey,
  AuditEvent,
  Category,
  Entry,
  Family,
  Identity,
  Import,
  Merchant,
  RejectedTransfer,
  StoredProvider,
  Tag,
  Transaction,
  Transfer,
  User,
];

/** MikroORM on the process's own pool, so that both share one set of connections and settings. */
export function createOrm(pool: Pool, { namedStatements }: { namedStatements: boolean }): MikroORM {
  return new MikroORM({
    entities: ENTITIES,
    dbName: 'finance',
    driverOptions: new PostgresDialect({ pool: givingBackLost(pool, namedStatements) }),
    // Schema and data differ in nothing the ORM could guess better than the migrations say.
    ensureDatabase: false,
    forceUtcTimezone: true,
    // Its messages would land on stdout, which belongs to results.
    logger: () => undefined,
  });
}

/** The pool forces generic plans for the hot reads; work of any size wants plans for its own values. One round trip. */
async function begin(client: PoolClient) {
  await client.query('begin; set local plan_cache_mode = auto');
  return { command: 'BEGIN' as const, rowCount: 0, rows: [] };
}

/** node-postgres gives it no code, and leaves the connection waiting. */
const UNANSWERED = 'Query read timeout';

/**
 * Kysely gives a connection back after a successful rollback only, so one that is lost or does not answer inside a
 * transaction would be missing from the pool for good. Here it goes back at once. The pool is the runtime's to end.
 */
function givingBackLost(pool: Pool, namedStatements: boolean): PostgresPool {
  return {
    connect: async () => {
      const client = await pool.connect();
      let given = false;
      const release = (lost?: Error | boolean) => {
        if (given) return;
        given = true;
        client.off('error', release).off('end', discard);
        client.release(lost);
      };
      const discard = () => release(true);
      client.on('error', release).on('end', discard);
      // On an object of its own: the pool's client is somebody else's next time.
      const lent: PostgresPoolClient = Object.create(client, {
        release: { value: release },
        query: {
          value: async (text: string, values: unknown[]) => {
            try {
              if (text === 'begin') return await begin(client);
              const name = namedStatements ? nameOf(text) : undefined;
              return await client.query(name === undefined ? { text, values } : { name, text, values });
            } catch (error) {
              if (error instanceof Error && error.message === UNANSWERED) release(error);
              throw error;
            }
          },
        },
      });
      return lent;
    },
    end: async () => undefined,
    options: pool.options,
  };
}
