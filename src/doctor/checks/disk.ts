import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, fail, ok, type Subject, skipped, warn } from '#src/doctor/check.ts';
import { sizeText } from '#src/doctor/sizes.ts';
import { errorCode } from '#src/kernel/error-code.ts';

const MIB = 1_048_576;

export interface Space {
  /** Bytes that an ordinary user may still write. */
  free: number;
  total: number;
}

/** Whether DATA_DIR can be written, and how much more fits there. */
export async function disk(subject: Subject): Promise<Finding> {
  const { dataDir, database } = subject.config();
  const folder = await nearest(dataDir);
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (database.url !== undefined)
      return skipped(`${dataDir} is not writable, and not used: DATABASE_URL is set`);
    return fail(
      `${dataDir} cannot be used (${errorCode(error)})`,
      'Set DATA_DIR to a folder this user owns, or correct its owner.',
    );
  }
  const { bavail, blocks, bsize } = await statfs(folder);
  const finding = judgeSpace({ free: bavail * bsize, total: blocks * bsize });
  return { ...finding, detail: `${finding.detail} in ${dataDir}` };
}

export function judgeSpace({ free, total }: Space): Finding {
  const share = total === 0 ? 0 : free / total;
  const text = `${sizeText(free)} free (${Math.floor(share * 100)} %)`;
  const hint = 'Make room, or move DATA_DIR to a larger disk.';
  if (free < 100 * MIB) return fail(text, hint);
  return free < 1_024 * MIB || share < 0.05 ? warn(text, hint) : ok(text);
}

/** The folder, or what is there of its path. */
async function nearest(path: string): Promise<string> {
  try {
    await access(path);
    return path;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) return path;
    return nearest(dirname(path));
  }
}
