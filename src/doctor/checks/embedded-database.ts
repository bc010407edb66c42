import { type Finding, ok, type Subject, skipped } from '#src/doctor/check.ts';
import { readClusterState } from '#src/embedded/cluster-state.ts';

/** What the folder says, before this process becomes one of those that use it. */
export async function embeddedDatabase(subject: Subject): Promise<Finding> {
  const { database, dataDir } = subject.config();
  if (database.url !== undefined) return skipped('not used: DATABASE_URL leads to another');
  const { version, port, pid } = await readClusterState(dataDir);
  if (version === undefined) return skipped('not made yet; the server or the first command makes it');
  const what = `PostgreSQL ${version} for trying, developing and households`;
  return ok(pid === undefined ? `${what}; stopped until somebody uses it` : `${what}; runs on port ${port}`);
}
