import { listUnrecorded } from '#src/audit/archive/list-unrecorded.ts';
import type { ArchiveTarget } from '#src/audit/archive/target.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

const DAY_MS = 86_400_000;

/**
 * A check of a day that is about to be archived. A database that was restored from a backup may have forgotten an
 * archive, and events that are in it: recorded without them, the day would be closed to them. Throws `conflict` then.
 */
export async function requireComplete(
  sql: Sql,
  target: ArchiveTarget,
  days: readonly string[],
): Promise<(day: string, rows: number) => void> {
  const [first, last] = [days.at(0), days.at(-1)];
  if (first === undefined || last === undefined) return () => undefined;
  const range = { since: new Date(first), until: new Date(Date.parse(last) + DAY_MS) };
  const most = new Map<string, number>();
  for (const { manifest } of await listUnrecorded(sql, target, range)) {
    if (manifest) most.set(manifest.day, Math.max(manifest.rows, most.get(manifest.day) ?? 0));
  }
  return (day, rows) => {
    const others = most.get(day) ?? 0;
    if (others <= rows) return;
    throw new AppError(
      'conflict',
      `${target.name} has an archive of ${day} with ${others} events, which is not on record; the database has ${rows}`,
      {
        hint: `Was the database restored from a backup? 'financectl audit archives restore --from-target --since ${day}' brings them back.`,
      },
    );
  };
}
