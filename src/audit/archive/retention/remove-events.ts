import { fetchArchive } from '#src/audit/archive/files/fetch-archive.ts';
import type { Run } from '#src/audit/archive/run/run.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

/** Events between two moments, as PostgreSQL writes them: the first inclusive, the second exclusive. */
export interface Stretch {
  from: string;
  before: string;
  /** The archive they are in; undefined where the tier archives nothing. */
  archive?: { day: string; file: string; sha256: string; rows: number; present: number } | undefined;
}

/** Days on record that still have events older than `$1`. Those that are not on record stay where they are. */
const ARCHIVED = `select a.day::text, a.file, a.sha256, a.rows::text, a.pruned_at is not null as pruned, c.present::text,
  (a.day::timestamp at time zone 'UTC')::text as from,
  least((a.day + 1)::timestamp at time zone 'UTC', $1::timestamptz)::text as before
from audit_archives a cross join lateral (
  select count(*) as present from audit_events e
  where e.created_at >= a.day::timestamp at time zone 'UTC'
    and e.created_at < least((a.day + 1)::timestamp at time zone 'UTC', $1::timestamptz)
) c
where a.day < ($1::timestamptz at time zone 'UTC') and c.present > 0
order by a.day`;

/** What is older than `before` in days that are archived, day by day. */
export async function listArchivedStretches(db: Sql, before: Date): Promise<Stretch[]> {
  const rows = await db.sql<{
    day: string;
    file: string;
    sha256: string;
    rows: string;
    pruned: boolean;
    present: string;
    from: string;
    before: string;
  }>(ARCHIVED, [before.toISOString()]);
  return rows.map(({ from, before, pruned, ...archive }) => ({
    from,
    before,
    archive: pruned
      ? undefined
      : { ...archive, rows: Number(archive.rows), present: Number(archive.present) },
  }));
}

/** Everything that is older than `before`. */
export function wholeStretch(before: Date): Stretch {
  return { from: '-infinity', before: before.toISOString() };
}

/**
 * Before events leave the database their archive is looked at once more. Throws when the target has lost or changed it
 * since it was recorded, or when the database has more events of that day than the archive.
 */
export async function checkArchive({ target, job }: Run, { archive }: Stretch): Promise<void> {
  if (!archive) return;
  const { day, rows, present } = archive;
  if (present > rows) {
    throw new AppError('conflict', `the database has ${present} events of ${day}, its archive ${rows}`, {
      hint: "Nothing of that day was removed. 'financectl audit archives verify' checks the archives.",
    });
  }
  const copy = await fetchArchive(target, archive, job.signal);
  await copy.close();
}

/**
 * A window need not be on the disk at once: lost with the machine, it would be removed again. The report waits for all.
 * The rows that the trigger looks at stay in memory.
 */
const ALLOWED = `set_config('finance.audit_retention', 'on', true), set_config('synchronous_commit', 'off', true),
  set_config('work_mem', '32MB', true), (select unreported_removals from audit_retention)::text as removed`;

/** To the end of the stretch: what is left is known to be no more than a window. */
const BEGIN = `select ${ALLOWED}, null as bound`;

/** The moment behind up to `$3` events, by the index alone; those of one moment stay together. Null: all are within. */
const BEGIN_BOUNDED = `select ${ALLOWED}, (
  select greatest(w.created_at, (
    select min(f.created_at) + interval '1 microsecond' from audit_events f where f.created_at >= $1::timestamptz
  ))::text
  from (
    select created_at from audit_events where created_at >= $1::timestamptz and created_at < $2::timestamptz
    order by created_at limit $3::bigint + 1
  ) w order by w.created_at offset $3::bigint limit 1
) as bound`;

const REMOVE =
  'delete from audit_events where created_at >= $1::timestamptz and created_at < $2::timestamptz';

/** The database itself counts what it lets go. */
const COUNTED = 'select unreported_removals::text as removed from audit_retention';

/** Removes a window of the stretch. Undefined when there was none left, else how many events went and where to go on. */
export async function removeWindow(
  run: Run,
  { from, before, archive }: Stretch,
  size: number,
): Promise<{ removed: number; from: string } | undefined> {
  if (from === before) return undefined;
  return run.perform(async (work) => {
    const isOne = archive !== undefined && archive.present <= size;
    const [begun] = isOne
      ? await work.sql<Begun>(BEGIN)
      : await work.sql<Begun>(BEGIN_BOUNDED, [from, before, size]);
    const to = begun?.bound ?? before;
    await work.sql(REMOVE, [from, to]);
    const [counted] = await work.sql<{ removed: string }>(COUNTED);
    const removed = Number(counted?.removed) - Number(begun?.removed);
    return removed > 0 ? { removed, from: to } : undefined;
  });
}

interface Begun {
  bound: string | null;
  /** Counted before. */
  removed: string;
}
