import type { examineFile } from '#src/audit/archive/files/examine-file.ts';
import {
  archivePath,
  checksumPath,
  checksumText,
  type Manifest,
  manifestText,
  sha256Of,
} from '#src/audit/archive/files/manifest.ts';
import { notKept, readBack, storeText } from '#src/audit/archive/files/read-back.ts';
import type { DayFile } from '#src/audit/archive/files/write-day.ts';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import { type ArchivingTier, lockUntil } from '#src/audit/archive/retention/retention.ts';
import { recordArchive } from '#src/audit/archive/run/record-archive.ts';
import type { Run } from '#src/audit/archive/run/run.ts';
import { writtenDays } from '#src/audit/archive/run/written-days.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { AppError } from '#src/kernel/errors.ts';

/** The last archive of the chain, as far as the next one needs it. */
export type ChainHead = Pick<ArchiveRecord, 'position' | 'day' | 'manifestSha256'>;

interface WrittenDay {
  day: string;
  file: DayFile;
}

interface Chain {
  /** Which audit log it is of. */
  log: string;
  tier: ArchivingTier;
  head: ChainHead | undefined;
}

/** An event for a day that ended long ago is rare; a second one while the day is written anew is rarer. */
const ATTEMPTS = 5;

/**
 * Archives a day that has been written: stored, read back, compared, and only then recorded. Nothing on record before
 * means that the whole may be done again, with the same result.
 */
export async function archiveDay(run: Run, { day, file }: WrittenDay, chain: Chain): Promise<ArchiveRecord> {
  const record = await storeAndRecord(run, { day, file }, chain);
  if (record) return record;
  for (let attempt = 2; attempt <= ATTEMPTS; attempt += 1) {
    await run.step({ name: 'day_changed', day });
    for await (const written of writtenDays(run.job.runtime, [day], run.job.signal)) {
      const record = await storeAndRecord(run, written, chain);
      if (record) return record;
    }
  }
  throw new AppError('service_unavailable', `events of ${day} kept coming while it was archived`, {
    hint: 'Run it again when whatever writes events of so long ago has finished.',
  });
}

/** Undefined when an event of the day has come since it was written. */
async function storeAndRecord(
  run: Run,
  { day, file }: WrittenDay,
  chain: Chain,
): Promise<ArchiveRecord | undefined> {
  await run.step({ name: 'day_written', day, rows: file.rows });
  const manifest = await storeDay(run, { day, file }, chain);
  const record = await recordArchive(run, manifest, chain.tier);
  if (record) await run.step({ name: 'day_recorded', day, rows: file.rows });
  return record;
}

async function storeDay(
  { target, step }: Run,
  { day, file }: WrittenDay,
  { log, tier, head }: Chain,
): Promise<Manifest> {
  const keepUntil = lockUntil(tier, day);
  const path = archivePath(day, file.sha256, 'ndjson.gz');
  const { rows, firstId, lastId, bytes, sha256 } = file;
  const manifest: Manifest = {
    log,
    day,
    rows,
    firstId,
    lastId,
    file: path,
    bytes,
    sha256,
    position: (head?.position ?? 0) + 1,
    previous: head ? { day: head.day, sha256: head.manifestSha256 } : null,
  };

  await target.put({ path, bytes, sha256, keepUntil, read: file.read });
  await step({ name: 'file_stored', day });
  compare(path, await readBack(target, path, bytes), manifest);
  await step({ name: 'file_verified', day });
  await Promise.all([
    storeText(target, checksumPath(path), checksumText(manifest), keepUntil),
    storeManifest(target, manifest, keepUntil),
  ]);
  await step({ name: 'manifest_stored', day });
  return manifest;
}

async function storeManifest(
  target: ArchiveTarget,
  manifest: Manifest,
  keepUntil: Date | undefined,
): Promise<void> {
  const text = manifestText(manifest);
  const path = archivePath(manifest.day, sha256Of(text), 'manifest.json');
  await storeText(target, path, text, keepUntil);
}

function compare(
  path: string,
  found: Awaited<ReturnType<typeof examineFile>>,
  { rows, firstId, lastId, bytes, sha256 }: Manifest,
): void {
  const same =
    found.sha256 === sha256 &&
    found.bytes === bytes &&
    found.rows === rows &&
    found.firstId === firstId &&
    found.lastId === lastId;
  if (!same) throw notKept(path);
}
