import type { Pool } from 'pg';
import { migrate } from '#src/database/migrate.ts';
import {
  type MigrationStatus,
  pendingUpTo,
  readMigrationStatus,
  refuseNewerDatabase,
} from '#src/database/migration-status.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';

interface Migrating {
  migrationUrl: string;
  /** Whether it is the embedded database. */
  isOwn: boolean;
  /** The last migration to run; default: all of them. */
  migrateTo?: string | undefined;
  /** Nothing is to be changed. */
  isRehearsal?: boolean | undefined;
  log: Log;
}

/** Brings the schema up to date. Refuses one that is newer, and in a rehearsal one that is behind. */
export async function migrateIfBehind(
  pool: Pool,
  { migrationUrl, isOwn, migrateTo, isRehearsal, log }: Migrating,
): Promise<void> {
  const status = await readMigrationStatus(pool);
  refuseNewerDatabase(status);
  if (status.pending.length === 0) return;
  // An embedded database that was made just now has nothing yet that could be left alone.
  const isNew = isOwn && status.executed.length === 0;
  if (isRehearsal && !isNew) throw outdated(status);
  await migrate(migrationUrl, log, migrateTo);
  const after = await readMigrationStatus(pool);
  if (pendingUpTo(after, migrateTo).length > 0) throw elsewhere();
}

function outdated({ pending }: MigrationStatus): AppError {
  return new AppError(
    'conflict',
    `The database schema is not up to date (migrations pending: ${pending.length}), and a dry run leaves it so`,
    { hint: 'Run financectl db migrate first, with --no-dry-run where DRY_RUN is set.' },
  );
}

function elsewhere(): AppError {
  return new AppError(
    'configuration_invalid',
    'The migrations ran, but not in the database of DATABASE_URL',
    {
      hint: 'MIGRATION_DATABASE_URL must lead to the same database and schema as DATABASE_URL.',
    },
  );
}
