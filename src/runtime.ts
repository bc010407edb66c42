import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { LOCK } from '#src/database/migrate.ts';
import { migrateIfBehind } from '#src/database/migrate-if-behind.ts';
import { createCipher } from '#src/kernel/cipher.ts';
import type { Config } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { createPool } from '#src/kernel/pool.ts';
import { Tally } from '#src/kernel/tally.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface RuntimeOptions {
  log: Log;
  /** Milliseconds one statement may take; 0 means no limit. */
  statementTimeout: number;
  /** Brings the schema up to date first. Default true. */
  migrateFirst?: boolean;
  /** The last migration to run; default: all of them. */
  migrateTo?: string | undefined;
  /** Nothing is to be changed: a schema that is behind is refused instead of brought up to date. */
  isRehearsal?: boolean;
  now?: () => Date;
}

interface DatabaseAddress {
  url: string;
  migrationUrl: string;
  /** Whether it is the embedded one. */
  isOwn: boolean;
  /** Kept beside the embedded database when the environment has none. */
  secretKeyBase(): string;
  release(): Promise<void>;
}

/** The composition root: joins or reaches the database, brings its schema up to date, and opens the pool. */
export async function createRuntime(config: Config, options: RuntimeOptions): Promise<Runtime> {
  const { log, statementTimeout, migrateFirst = true, now = () => new Date() } = options;
  const address = await reachDatabase(config, log);
  const pool = createPool(
    address.url,
    { size: config.database.poolSize, applicationName: 'finance', statementTimeout },
    log,
  );
  try {
    if (migrateFirst) await migrateIfBehind(pool, { ...options, ...address });
  } catch (error) {
    await pool.end();
    await address.release();
    throw error;
  }
  return assemble({ config, log, now, pool, address });
}

interface Parts {
  config: Config;
  log: Log;
  now: () => Date;
  pool: Pool;
  address: DatabaseAddress;
}

function assemble({ config, log, now, pool, address }: Parts): Runtime {
  let orm: Promise<MikroORM> | undefined;
  let closing: Promise<void> | undefined;

  const close = async () => {
    // Closing MikroORM would end the pool too; it is this runtime's to end, once.
    await pool.end();
    await address.release();
  };

  const secretKeyBase = () => config.secretKeyBase ?? address.secretKeyBase();

  return {
    config,
    log,
    pool,
    now,
    secretKeyBase,
    cipher: createCipher(config.encryption, secretKeyBase),
    tally: new Tally(),
    entityManager: async () => {
      orm ??= import('#src/orm.ts').then(({ createOrm }) => createOrm(pool, config.database));
      return (await orm).em.fork();
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function reachDatabase(config: Config, log: Log): Promise<DatabaseAddress> {
  const { url, migrationUrl } = config.database;
  if (url) {
    return {
      url,
      migrationUrl: migrationUrl ?? url,
      isOwn: false,
      secretKeyBase: refuseMissingSecret,
      release: async () => undefined,
    };
  }

  const [{ joinEmbeddedDatabase }, { keptSecretKeyBase }, { settleSecretKeyBase }] = await Promise.all([
    import('#src/embedded/join-embedded-database.ts'),
    import('#src/embedded/kept-secret-key-base.ts'),
    import('#src/embedded/next-secret-key-base.ts'),
  ]);
  const database = await joinEmbeddedDatabase({
    dataDir: config.dataDir,
    port: config.database.embeddedPort,
    notice: (event, fields) => log.info(fields, event),
  });
  const { connectionString } = database;
  try {
    await settleSecretKeyBase(config.dataDir, connectionString, LOCK);
  } catch (error) {
    await database.release();
    throw error;
  }
  return {
    url: connectionString,
    migrationUrl: connectionString,
    isOwn: true,
    secretKeyBase: () => keptSecretKeyBase(config.dataDir),
    release: () => database.release(),
  };
}

function refuseMissingSecret(): never {
  throw new AppError('configuration_invalid', 'SECRET_KEY_BASE is not set', {
    hint: 'Give it the same random text of at least 32 characters wherever DATABASE_URL leads to this database.',
  });
}
