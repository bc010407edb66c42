import { randomBytes, randomUUID } from 'node:crypto';
import { chownSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot } from '#src/embedded/data-dir.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

const BYTES = 48;
/** Characters; what is shorter has been damaged. */
export const SHORTEST_SECRET = BYTES;

/** Where the secret of this data folder is kept. */
export function keptSecretFile(dataDir: string): string {
  return join(dataDir, 'secret_key_base');
}

/** The secret of this data folder (decisions, section 5), made at the first call and only its owner's to read. */
export function keptSecretKeyBase(dataDir: string): string {
  const file = keptSecretFile(dataDir);
  try {
    const kept = readKept(file) ?? create(dataDir, file);
    if (kept.length >= SHORTEST_SECRET) return kept;
  } catch (cause) {
    throw new AppError('configuration_invalid', `${file} cannot be used (${errorCode(cause)})`, { cause });
  }
  throw new AppError('configuration_invalid', `${file} is damaged: it is too short`, {
    hint: 'Restore it from a backup: what is encrypted with it cannot be read without.',
  });
}

function readKept(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all, and the first of several processes decides: a link is made in one step, and never twice. */
function create(dataDir: string, file: string): string {
  const draft = join(dataDir, `.${randomUUID()}`);
  writeFileSync(draft, `${randomBytes(BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    const { uid, gid } = statSync(dataDir);
    if (isRoot() && uid !== 0) chownSync(draft, uid, gid);
    linkSync(draft, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}
