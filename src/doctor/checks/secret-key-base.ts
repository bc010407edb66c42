import { stat } from 'node:fs/promises';
import { type Finding, fail, ok, type Subject, skipped, warn } from '#src/doctor/check.ts';
import { keptSecretFile } from '#src/embedded/kept-secret-key-base.ts';
import { errorCode } from '#src/kernel/error-code.ts';

/** Where it comes from. It is not read here, and above all not made. */
export async function secretKeyBase(subject: Subject): Promise<Finding> {
  const { secretKeyBase, database, dataDir } = subject.config();
  if (secretKeyBase !== undefined) return ok('from the environment');
  if (database.url !== undefined) {
    return fail(
      'SECRET_KEY_BASE is not set, and the server does not start without it while DATABASE_URL is',
      'Set it to the same random text of at least 32 characters wherever DATABASE_URL leads to this database.',
    );
  }
  const file = keptSecretFile(dataDir);
  try {
    const { mode } = await stat(file);
    if (mode & 0o077) return warn(`others can read ${file}`, `chmod 600 ${file}`);
    return ok(`kept in ${file}`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return skipped('not made yet; the server makes it when it is needed');
  }
}
