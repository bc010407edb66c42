import { expect } from 'vitest';
import { readArchivedDay } from '#src/audit/archive/files/read-archived-day.ts';
import { listArchives } from '#src/audit/archive/list-archives.ts';
import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { storedIds } from '#test/audit/archive/support.ts';
import type { Harness } from '#test/support/database.ts';

/** Every id in the archives on record, each file read and its hash compared. */
async function archivedIds(runtime: Runtime): Promise<string[]> {
  const target = await openTarget(runtime.config);
  const ids: string[] = [];
  for (const archive of await listArchives(sqlOn(runtime.pool))) {
    for await (const events of readArchivedDay(target, archive)) ids.push(...events.map(({ id }) => id));
  }
  return ids;
}

/** Nothing lost, nothing doubled: each event is in the database or in one archive on record, once. */
export async function expectAllKept(
  harness: Harness,
  runtime: Runtime,
  ids: readonly string[],
): Promise<void> {
  const archived = await archivedIds(runtime);
  const stored = await storedIds(harness);

  expect(new Set(archived).size).toBe(archived.length);
  expect([...new Set([...archived, ...stored])].sort()).toEqual([...ids].sort());
}
