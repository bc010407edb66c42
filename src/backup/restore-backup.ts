import { checkReferences } from '#src/backup/check-references.ts';
import type { OpenBackup } from '#src/backup/open-backup.ts';
import { type OwnerAccess, reachOwner } from '#src/backup/reach-owner.ts';
import { recordRestore } from '#src/backup/record-restore.ts';
import {
  analyzeTables,
  countHoldings,
  emptyTables,
  loadRows,
  lockTables,
  matchTables,
  migrateTo,
  refuseNewerBackup,
  restoreSequences,
} from '#src/backup/restore-steps.ts';
import { planSecret, type SecretPlan } from '#src/backup/restored-secret.ts';
import { beginLossless } from '#src/backup/transaction.ts';
import { LOCK } from '#src/database/migrate.ts';
import { listMigrations } from '#src/database/migration-status.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/new-id.ts';
import type { Actor, Runtime } from '#src/kernel/work.ts';

export interface RestoreOptions {
  actor: Actor;
  /** Email or id of a super admin of the backup in whose name it is done. */
  actingAs: string | undefined;
  signal: AbortSignal;
  /** Everything is done, then rolled back. */
  dryRun: boolean;
  /** What the database holds goes; else a database that holds something is refused. */
  replace: boolean;
  /** The secret that is kept may go aside for the backup's. */
  replaceSecret: boolean;
  onProgress: (text: string) => void;
}

export interface RestoreSummary {
  tables: number;
  rows: number;
  /** Migrations run after the backup's own. */
  migrated: string[];
  /** What the database held before. */
  replaced: Record<string, number>;
  secretKeyBase: SecretPlan['action'];
  /** Where the secret that was replaced is kept now. */
  oldSecretFile: string | undefined;
}

/** Brings a backup back in one transaction: others see what was there before, or all of it, and never a mix. */
export async function restoreBackup(
  runtime: Pick<Runtime, 'config' | 'log' | 'now'>,
  backup: OpenBackup,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  refuseNewerBackup(backup.manifest);
  const access = await reachOwner(runtime.config, runtime.log);
  options.signal.addEventListener('abort', access.cancel, { once: true });
  try {
    return await restore(runtime, access, backup, options);
  } catch (error) {
    throw explain(error);
  } finally {
    options.signal.removeEventListener('abort', access.cancel);
    await access.release();
  }
}

async function restore(
  runtime: Pick<Runtime, 'config' | 'now'>,
  access: OwnerAccess,
  backup: OpenBackup,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const { client } = access;
  const { signal, dryRun } = options;
  await beginLossless(client);
  await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
  const replaced = await clear(access, options);
  const secret = planSecret(runtime.config, backup.secretKeyBase, options);

  const { rows, migrated } = await load(access, backup, options);
  const eventId = newId();
  const facts = { backup: backup.manifest, rows, replaced: Object.keys(replaced).length > 0 };
  await recordRestore(client, { id: eventId, now: runtime.now(), ...options, ...facts });

  signal.throwIfAborted();
  const oldSecretFile = dryRun ? undefined : await secret.commitWith(client, eventId, runtime.now());
  return {
    tables: backup.manifest.tables.length,
    rows,
    migrated,
    replaced,
    secretKeyBase: secret.action,
    oldSecretFile,
  };
}

/** Empties the database, in this transaction. Answers with what it held. */
async function clear(
  { client, triggers }: OwnerAccess,
  { replace, onProgress }: RestoreOptions,
): Promise<Record<string, number>> {
  await triggers('rest');
  await lockTables(client);
  const holdings = await countHoldings(client);
  if (Object.keys(holdings).length > 0 && !replace) throw refuseInUse(holdings);
  onProgress('emptying the database');
  await emptyTables(client);
  return holdings;
}

export function refuseInUse(holdings: Record<string, number>): AppError {
  const what = Object.entries(holdings).map(([name, count]) => `${name}: ${count}`);
  return new AppError('conflict', `The database is not empty (${what.join(', ')})`, {
    hint: 'Restore into a new one (another DATA_DIR or DATABASE_URL), or replace what is there with --replace.',
  });
}

/** The schema as the backup knew it, then its rows, then what has come since. */
async function load(
  { client, triggers }: OwnerAccess,
  backup: OpenBackup,
  { onProgress, signal }: RestoreOptions,
): Promise<{ rows: number; migrated: string[] }> {
  const { manifest } = backup;
  const migrated = listMigrations().filter((name) => !manifest.migrations.includes(name));
  await triggers('work');
  await migrateTo(client, manifest.migrations);
  await matchTables(client, manifest);

  await triggers('rest');
  // Migrations put rows into their tables too.
  await emptyTables(client);
  const rows = await loadRows(client, backup, (table, count) => {
    signal.throwIfAborted();
    onProgress(`${table}: ${count} rows`);
  });
  await restoreSequences(client, manifest);
  onProgress('checking what refers to what');
  await analyzeTables(client);
  await checkReferences(client);

  await triggers('work');
  await migrateTo(client, listMigrations());
  return { rows, migrated };
}

const IN_USE = ['55P03', '40P01'];

function explain(error: unknown): unknown {
  if (!IN_USE.includes(errorCode(error) ?? '')) return error;
  return new AppError('service_unavailable', 'Others are writing to the database and do not let go of it', {
    hint: 'Try again, or stop the service meanwhile. Nothing was changed.',
    cause: error,
  });
}
