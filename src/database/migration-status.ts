import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Pool } from 'pg';
import { explainRefusal } from '#src/database/explain-refusal.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

export const MIGRATIONS_PATH = join(import.meta.dirname, '../../migrations');
export const MIGRATIONS_TABLE = 'schema_migrations';

export interface MigrationStatus {
  executed: string[];
  /** In the order they will run. */
  pending: string[];
  /** Executed by a newer release; this one does not know them. */
  unknown: string[];
}

/** The migrations of this release, in the order they run. */
export function listMigrations(): string[] {
  return readdirSync(MIGRATIONS_PATH)
    .filter((file) => /^Migration\d+_\w+\.ts$/.test(file))
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted();
}

/** Compares the migrations of this release with those the database has run. One query; MikroORM is not needed. */
export async function readMigrationStatus(database: Pool | Client): Promise<MigrationStatus> {
  const known = listMigrations();
  const executed = await readExecuted(database);
  return {
    executed,
    pending: known.filter((name) => !executed.includes(name)),
    unknown: executed.filter((name) => !known.includes(name)),
  };
}

/** The pending migrations up to and including `to`; all of them when it is undefined. Throws `not_found`. */
export function pendingUpTo({ executed, pending }: MigrationStatus, to: string | undefined): string[] {
  if (to === undefined) return pending;
  // Names begin with a time, so that their order is that of the migrations.
  if (pending.includes(to) || executed.includes(to)) return pending.filter((name) => name <= to);
  throw new AppError('not_found', `No migration is named ${to}`, {
    hint: pending.length > 0 ? `Pending are: ${pending.join(', ')}.` : 'None is pending.',
  });
}

/** Refuses a database that a newer release has changed: this one would misread it. */
export function refuseNewerDatabase({ unknown }: MigrationStatus): void {
  if (unknown.length === 0) return;
  throw new AppError(
    'configuration_invalid',
    `The database is newer than this release: it has run ${unknown.join(', ')}`,
    {
      hint: 'Start the release that made these changes, or restore the backup taken before it.',
    },
  );
}

async function readExecuted(database: Pool | Client): Promise<string[]> {
  try {
    const { rows } = await database.query<{ name: string }>(
      `select name from ${MIGRATIONS_TABLE} order by name`,
    );
    return rows.map((row) => row.name);
  } catch (error) {
    if (errorCode(error) === '42P01') return [];
    throw explainRefusal(error);
  }
}
