import { atMost } from '#src/audit/archive/files/at-most.ts';
import { examineFile } from '#src/audit/archive/files/examine-file.ts';
import { sha256Of, textFile } from '#src/audit/archive/files/manifest.ts';
import { readSha256 } from '#src/audit/archive/files/read-sha256.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { AppError } from '#src/kernel/errors.ts';

/** Stores a small file and reads it back. */
export async function storeText(
  target: ArchiveTarget,
  path: string,
  text: string,
  keepUntil: Date | undefined,
): Promise<void> {
  await target.put(textFile(path, text, keepUntil));
  const content = atMost(await target.open(path), Buffer.byteLength(text));
  if ((await readSha256(content)) !== sha256Of(text)) throw notKept(path);
}

/** What is there, whatever it is: another content need not even be compressed lines. */
export async function readBack(target: ArchiveTarget, path: string, bytes: number) {
  const content = await target.open(path);
  try {
    return await examineFile(atMost(content, bytes));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw notKept(path, error);
  }
}

export function notKept(path: string, cause?: unknown): AppError {
  return new AppError('service_unavailable', `what was read back is not what was stored: ${path}`, {
    hint: 'Nothing was removed from the database. Check the store or the disk, then run it again.',
    cause,
  });
}
