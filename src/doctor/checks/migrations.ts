import { readMigrationStatus } from '#src/database/migration-status.ts';
import { type Finding, fail, ok, type Subject, warn } from '#src/doctor/check.ts';

export async function migrations(subject: Subject): Promise<Finding> {
  const { pool } = await subject.runtime();
  const { executed, pending, unknown } = await readMigrationStatus(pool);
  if (unknown.length > 0) {
    return fail(
      `the database is newer than this release: it has run ${unknown.join(', ')}`,
      'Start the release that made these changes, or restore the backup taken before it.',
    );
  }
  if (pending.length === 0) return ok(`all ${executed.length} have run`);
  const hint = 'Run financectl db migrate; a server runs them when it starts.';
  // What comes after asks tables that may not be there yet.
  return { ...warn(`pending: ${pending.join(', ')}`, hint), isUsable: false };
}
