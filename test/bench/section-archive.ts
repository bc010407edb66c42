import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type AuditLog, auditLogOf } from '#test/bench/audit-log.ts';
import type { Bench } from '#test/bench/bench.ts';
import { hasProgram, runFinancectl } from '#test/bench/command.ts';
import type { Section } from '#test/bench/section.ts';
import { compareWithPsql, present, skipped } from '#test/bench/section-export.ts';

/** `audit archive` of every day into a folder, read back and recorded, against psql and gzip of the same rows. */
export async function benchArchive(bench: Bench): Promise<Section> {
  if (!(await hasProgram('psql'))) return skipped(bench, 'archive');
  const log = await auditLogOf(bench);
  const speeds = await compareWithPsql(bench, log, (file) => archive(bench, log, file));
  return present('archive', 'audit archive', log, speeds);
}

async function archive(bench: Bench, { url, client }: AuditLog, file: string) {
  const folder = join(bench.folder, 'archive');
  const run = await runFinancectl(bench, ['audit', 'archive', '--keep'], {
    DATABASE_URL: url,
    AUDIT_RETENTION: 'compliance',
    AUDIT_ARCHIVE_URL: folder,
  });
  await concatenate(folder, file);
  await rm(folder, { recursive: true });
  await client.query(`set session_replication_role = replica; truncate audit_archives;
    delete from audit_retention; set session_replication_role = origin`);
  return run;
}

/** Members of gzip one behind the other are one file. */
async function concatenate(folder: string, file: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((name) => name.endsWith('.ndjson.gz')).sort()) {
    await pipeline(createReadStream(join(folder, name)), createWriteStream(file, { flags: 'a' }));
  }
}
