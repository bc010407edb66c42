import { type ClientBase, escapeIdentifier } from 'pg';
import { copyOut } from '#src/backup/copy-out.ts';
import { describeBackup } from '#src/backup/describe-backup.ts';
import {
  type BackedUpTable,
  LONGEST_ROW,
  MANIFEST,
  type Manifest,
  SECRET,
  writeManifest,
} from '#src/backup/manifest.ts';
import { type Packer, packParts } from '#src/backup/pack-parts.ts';
import { beginLossless } from '#src/backup/transaction.ts';
import { readMigrationStatus, refuseNewerDatabase } from '#src/database/migration-status.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface BackupOptions {
  signal: AbortSignal;
  /** Told after every few thousand rows. */
  onProgress: (table: string, rows: number) => void;
}

export interface BackupSummary {
  createdAt: string;
  migrations: string[];
  tables: number;
  rows: number;
  bytes: number;
  holdsSecretKeyBase: boolean;
}

/**
 * The backup of everything at one moment, while others go on writing: one snapshot, read in one pass, in constant
 * memory. Yields the bytes of the file.
 */
export async function* writeBackup(
  runtime: Runtime,
  options: BackupOptions,
): AsyncGenerator<Buffer, BackupSummary> {
  refuseNewerDatabase(await readMigrationStatus(runtime.pool));
  const client = await runtime.pool.connect();
  let failure: Error | undefined;
  try {
    await beginLossless(client, 'isolation level repeatable read read only');
    const summary = yield* streamSnapshot(runtime, client, options);
    await client.query('commit');
    return summary;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A connection that is in the middle of something is no use to anybody.
    client.release(failure ?? isOpen(client));
  }
}

/** True when the reader of the backup has left early. */
function isOpen(client: ClientBase): boolean {
  return client.getTransactionStatus() !== 'I';
}

async function* streamSnapshot(
  runtime: Runtime,
  client: ClientBase,
  options: BackupOptions,
): AsyncGenerator<Buffer, BackupSummary> {
  const manifest = await describeBackup(runtime, client);
  const packer = packParts(new Date(manifest.createdAt));
  let bytes = 0;
  const filling = fill(runtime, client, { packer, manifest, options }).catch((error: Error) => {
    packer.abort(error);
    return 0;
  });
  try {
    for await (const chunk of packer.output) {
      bytes += chunk.length;
      yield chunk;
    }
  } finally {
    packer.abort(new Error('nobody reads the backup any more'));
    await filling;
  }
  const { createdAt, migrations, tables, holdsSecretKeyBase } = manifest;
  return { createdAt, migrations, tables: tables.length, rows: await filling, bytes, holdsSecretKeyBase };
}

interface Filling {
  packer: Packer;
  manifest: Manifest;
  options: BackupOptions;
}

async function fill(
  runtime: Runtime,
  client: ClientBase,
  { packer, manifest, options }: Filling,
): Promise<number> {
  await packer.add(MANIFEST, writeManifest(manifest));
  if (manifest.holdsSecretKeyBase) await packer.add(SECRET, Buffer.from(`${runtime.secretKeyBase()}\n`));
  let rows = 0;
  for (const table of manifest.tables) {
    let part = 0;
    for await (const block of copyOut(client, selectText(table))) {
      options.signal.throwIfAborted();
      // A block as large as that is a single row.
      if (block.bytes.length > LONGEST_ROW) throw tooLong(table);
      part += 1;
      rows += block.rows;
      await packer.add(partName(table.name, part), block.bytes, block.rows);
      options.onProgress(table.name, rows);
    }
  }
  await packer.finish();
  return rows;
}

function tooLong({ name }: BackedUpTable): AppError {
  return new AppError('conflict', `A row of ${name} is longer than ${LONGEST_ROW} bytes`, {
    hint: 'Shorten it, or use pg_dump.',
  });
}

function selectText({ name, columns }: BackedUpTable): string {
  return `copy (select ${columns.map(escapeIdentifier).join(', ')} from ${escapeIdentifier(name)}) to stdout`;
}

function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(5, '0')}.copy`;
}
