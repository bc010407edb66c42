import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

/** What may pass by itself, or by making room. */
const PASSING = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'ESTALE',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'EBUSY',
  'ETIMEDOUT',
]);

/** What somebody has to change. */
const LASTING: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'not permitted',
  ENOTDIR: 'part of the path is not a folder',
  ELOOP: 'a symbolic link, which is not followed',
  EISDIR: 'a folder where a file should be',
  EEXIST: 'something that is no folder has the name',
  ENOENT: 'it cannot be made',
  ENAMETOOLONG: 'the path is too long',
};

/** The error of a file system as one that says which folder is meant; any other as it is. */
export function folderTrouble(folder: string, error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = errorCode(error) ?? '';
  if (PASSING.has(code)) {
    return new AppError('service_unavailable', `the archive folder ${folder} cannot be used now (${code})`, {
      hint: 'Check the disk and its space, then run it again.',
      cause: error,
    });
  }
  const reason = LASTING[code];
  if (reason === undefined) return error;
  const where =
    error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : folder;
  return new AppError('configuration_invalid', `the archive folder cannot be used: ${reason} (${where})`, {
    hint: 'AUDIT_ARCHIVE_URL names a folder that this user can write to and nobody else.',
    cause: error,
  });
}
