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
  await addNamed(work, target.familyId, 'categories', 'category', { color: '#6172F3', icon: 'shapes' });
  await addNamed(work, target.familyId, 'merchants', 'merchant', {});
  await addNamed(work, target.familyId, 'tags', 'unnest(tags)', { color: '#e99537' });

  const { familyId, accountId, importId, source } = target;
  const [row] = await work.sql<{ added: string }>(MERGE, [familyId, accountId, importId, source, work.now()]);
  const added = Number(row?.added);
  await refreshStatistics(work, added);
  return added;
}

/**
 * A table that has grown by a tenth or more is described anew at once: until autovacuum came by, plans would be
 * made for its old size. Skips tables that another process is working on.
 */
async function refreshStatistics(work: Work, added: number): Promise<void> {
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

/** Creates the categories, merchants or tags that `staged` names and the family has not. */
async function addNamed(
  work: Work,
  familyId: string,
  table: 'categories' | 'merchants' | 'tags',
  expression: string,
  defaults: Record<string, string>,
): Promise<void> {
  const missing = await work.sql<{ name: string }>(
    `select distinct named.name from (select ${expression} as name from staged) named
     where named.name is not null
       and not exists (select 1 from ${table} known where known.family_id = $1 and known.name = named.name)
     order by named.name`,
    [familyId],
  );
  if (missing.length === 0) return;

  const columns = Object.keys(defaults);
  await work.sql(
    `insert into ${table} (family_id, id, name, created_at, updated_at${columns.map((name) => `, ${name}`).join('')})
     select $1, added.id, added.name, $2, $2${columns.map((_, index) => `, $${index + 5}`).join('')}
     from unnest($3::uuid[], $4::text[]) as added (id, name)
     on conflict do nothing`,
    [
      familyId,
      work.now(),
      missing.map(() => randomUUIDv7()),
      missing.map(({ name }) => name),
      ...Object.values(defaults),
    ],
  );
}
