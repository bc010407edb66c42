import { join } from 'node:path';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import type { Config } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';

/** Where archives go, for people; undefined: nowhere. */
export function archiveUrl({ audit, database, dataDir }: Config): string | undefined {
  return audit.archive ?? (database.url ? undefined : join(dataDir, 'audit-archive'));
}

/** The folder or bucket of the settings; nothing is asked of it yet. Throws `configuration_invalid` without one. */
export async function openTarget(config: Config): Promise<ArchiveTarget> {
  const url = archiveUrl(config);
  if (url === undefined) {
    throw new AppError('configuration_invalid', 'AUDIT_ARCHIVE_URL is not set: there is no archive', {
      hint: 'Set it to an absolute folder or s3://BUCKET/PREFIX, the same for all processes.',
    });
  }
  if (url.startsWith('s3://')) {
    const { createBucketTarget } = await import('#src/audit/archive/targets/create-bucket-target.ts');
    return createBucketTarget(url, config);
  }
  const { createFolderTarget } = await import('#src/audit/archive/targets/create-folder-target.ts');
  return createFolderTarget(url);
}
