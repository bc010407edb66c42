import { randomUUIDv7 } from 'node:crypto';
import type { Work } from '#src/kernel/work.ts';

export interface MergeTarget {
  familyId: string;
  accountId: string;
  importId: string;
  /** `csv`, `ofx`… */
  source: string;
}

/** Moves what is new from `staged` into the ledger; rows that are there already stay as they are. Counts the new. */
export async function mergeStaged(work: Work, target: MergeTarget): Promise<number> {
  const { familyId, accountId, importId, source } = target;
  for (const kind of NAMED) await addNamed(work, familyId, kind);

  const [row] = await work.sql<{ added: string }>(MERGE, [familyId, accountId, importId, source, work.now()]);
  const added = Number(row?.added);
  await refreshStatistics(work, added);
  return added;
}

/**
 * A table that has grown by a tenth or more is described anew at once: until autovacuum came by, plans would be
 * made for its old size. Skips tables that another process is working on.
 */
export async function refreshStatistics(work: Work, added: number): Promise<void> {
  const [table] = await work.sql<{ reltuples: number }>(
    `select reltuples from pg_class where oid = 'entries'::regclass`,
  );
  if (added * 10 < Number(table?.reltuples)) return;
  await work.sql('analyze (skip_locked) entries, transactions, transaction_tags, accounts');
}

/**
 * Equal rows of one file are told apart by their occurrence: two equal coffees on one day are two rows, and the
 * same two again in the next file. Everything else is decided by the unique indexes, also against other imports
 * that run at the same time.
 */
const MERGE = `
with numbered as (
  select *, content_hash || ':' || row_number() over (partition by content_hash order by line) as occurrence
  from staged
), added as (
  insert into entries (family_id, id, account_id, date, amount_cents, currency, name, notes, source, external_id,
    content_hash, import_id)
  select $1, entry_id, $2, date, amount_cents, currency, name, notes, $4, external_id, occurrence, $3
  from numbered order by line
  on conflict do nothing
  returning id
), detailed as (
  insert into transactions (family_id, id, entry_id, kind, category_id, merchant_id, created_at, updated_at)
  select $1, s.transaction_id, s.entry_id, 'standard', c.id, m.id, $5, $5
  from staged s
    join added on added.id = s.entry_id
    left join categories c on c.family_id = $1 and c.name = s.category
    left join merchants m on m.family_id = $1 and m.name = s.merchant
), tagged as (
  insert into transaction_tags (family_id, transaction_id, tag_id)
  select distinct $1::uuid, s.transaction_id, g.id
  from staged s
    join added on added.id = s.entry_id
    cross join unnest(s.tags) as named (name)
    join tags g on g.family_id = $1 and g.name = named.name
)
select count(*) as added from added`;

interface Named {
  table: 'categories' | 'merchants' | 'tags';
  /** Where `staged` names them. */
  staged: string;
  /** The columns beside the name, and what new ones get: SQL. */
  columns: string;
  defaults: string;
}

const NAMED: readonly Named[] = [
  {
    table: 'categories',
    staged: 'category',
    columns: ', color, icon',
    defaults: `, '#6172F3', 'shapes'`,
  },
  { table: 'merchants', staged: 'merchant', columns: '', defaults: '' },
  { table: 'tags', staged: 'unnest(tags)', columns: ', color', defaults: `, '#e99537'` },
];

/** Creates what `staged` names and the family has not. */
async function addNamed(
  work: Work,
  familyId: string,
  { table, staged, columns, defaults }: Named,
): Promise<void> {
  const missing = await work.sql<{ name: string }>(
    `select distinct named.name from (select ${staged} as name from staged) named
     where named.name is not null
       and not exists (select 1 from ${table} known where known.family_id = $1 and known.name = named.name)
     order by named.name`,
    [familyId],
  );
  if (missing.length === 0) return;

  const ids = missing.map(() => randomUUIDv7());
  const names = missing.map(({ name }) => name);
  await work.sql(
    `insert into ${table} (family_id, id, name, created_at, updated_at${columns})
     select $1, added.id, added.name, $2, $2${defaults}
     from unnest($3::uuid[], $4::text[]) as added (id, name)
     on conflict do nothing`,
    [familyId, work.now(), ids, names],
  );
}
