import { atMost } from '#src/audit/archive/files/at-most.ts';
import { type Spool, spoolFrom } from '#src/audit/archive/files/spool.ts';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { AppError } from '#src/kernel/errors.ts';

/**
 * A local copy of an archive's file, which is what the record says; whoever asked closes it. Throws `not_found` when
 * the file is missing, `validation_failed` when it is another.
 */
export async function fetchArchive(
  target: ArchiveTarget,
  { day, file, sha256, bytes }: Pick<ArchiveRecord, 'day' | 'file' | 'sha256'> & { bytes?: number },
  signal?: AbortSignal,
): Promise<Spool> {
  const copy = await spoolFrom(atMost(await openArchive(target, day, file), bytes ?? Infinity), signal);
  if (copy.sha256 === sha256) return copy;
  await copy.close();
  throw new AppError('validation_failed', `the archive of ${day} has been changed: ${target.name}/${file}`, {
    hint: "Put the file back from a copy; 'financectl audit archives verify' shows what else is wrong.",
  });
}

async function openArchive(target: ArchiveTarget, day: string, file: string) {
  try {
    return await target.open(file);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    throw new AppError('not_found', `the archive of ${day} is missing: ${target.name}/${file}`, {
      hint: "Put the file back from a copy; 'financectl audit archives verify' shows what else is wrong.",
      cause: error,
    });
  }
}
