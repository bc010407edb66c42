import type { Readable } from 'node:stream';
import type { Manifest } from '#src/backup/manifest.ts';
import { openBackup } from '#src/backup/open-backup.ts';

export interface Verified {
  manifest: Manifest;
  /** Rows of each table. */
  counts: ReadonlyMap<string, number>;
}

/** Reads all of a backup and compares it with its checksums. Needs no database. Throws `validation_failed`. */
export async function verifyBackup(
  file: Readable,
  onProgress: (table: string) => void = () => undefined,
): Promise<Verified> {
  const backup = await openBackup(file);
  try {
    for await (const { table } of backup.rows()) onProgress(table.name);
    return { manifest: backup.manifest, counts: backup.counts };
  } finally {
    await backup.close();
  }
}
