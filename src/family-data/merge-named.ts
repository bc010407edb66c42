import type { Work } from '#src/kernel/work.ts';

interface Named {
  table: 'accounts' | 'categories' | 'tags' | 'merchants';
  /** Its columns beside the name. */
  columns: readonly string[];
  /** Whether a row `s` of the file and the row `o` of the ledger with its id say the same: SQL. */
  same: string;
}

const NAMED: readonly Named[] = [
  {
    table: 'accounts',
    columns: ['account_type', 'currency', 'status'],
    // A second account of one name has been numbered when it came in.
    same: `(o.name = s.name or starts_with(o.name, left(s.name, 190) || ' ('))
      and (o.account_type, o.currency, o.status) = (s.account_type, s.currency, s.status)`,
  },
  {
    table: 'categories',
    columns: ['color', 'icon'],
    same: '(o.name, o.color, o.icon) = (s.name, s.color, s.icon)',
  },
  { table: 'tags', columns: ['color'], same: '(o.name, o.color) = (s.name, s.color)' },
  { table: 'merchants', columns: [], same: 'o.name = s.name' },
];

/** Finds or makes what a family calls by names: its accounts, categories, tags and merchants. */
export async function mergeNamed(work: Work, familyId: string): Promise<void> {
  await work.sql(REFUSE_CIRCLES);
  for (const named of NAMED) {
    await work.sql(refuseRepeatedIds(named.table));
    await work.sql(findById(named), [familyId]);
    if (named.table === 'accounts') {
      await work.sql(FIND_ACCOUNTS, [familyId]);
      await work.sql(NUMBER_ACCOUNTS, [familyId]);
      await work.sql(REFUSE_TAKEN_ACCOUNTS, [familyId]);
    } else {
      await work.sql(findByName(named), [familyId]);
      await work.sql(uniteByName(named));
    }
    await work.sql(insertNew(named), [familyId, work.now()]);
  }
}

export function refuseRepeatedIds(table: string, column = 'id', scope = ''): string {
  return `update staged_${table} s set fate = 'rejected', reason = 'its ${column} is on an earlier line already'
    from (
      select ctid as place, row_number() over (partition by ${scope} ${column} order by line) as nth
      from staged_${table} where fate is null and ${column} is not null
    ) numbered
    where numbered.place = s.ctid and numbered.nth > 1`;
}

function findById({ table, same }: Named): string {
  return `update staged_${table} s set target = s.id,
      fate = case when ${same} then 'present' else 'conflict' end,
      reason = case when ${same} then null else 'differs from what is here under its id, which stays as it is' end
    from ${table} o where o.family_id = $1 and o.id = s.id and s.fate is null`;
}

function findByName({ table }: Named): string {
  return `update staged_${table} s set target = o.id, fate = 'present'
    from ${table} o where o.family_id = $1 and o.name = s.name and s.fate is null`;
}

/** What is new, and has one name in the file, becomes one. */
function uniteByName({ table }: Named): string {
  return `update staged_${table} s set target = f.id, fate = case when f.id = s.id then 'added' else 'present' end
    from (select distinct on (name) name, id from staged_${table} where fate is null order by name, line) f
    where f.name = s.name and s.fate is null`;
}

function insertNew({ table, columns }: Named): string {
  const own = columns.map((column) => `, ${column}`).join('');
  return `insert into ${table} (family_id, id, name${own}, created_at, updated_at)
    select $1, id, name${own}, coalesce(created_at, $2), coalesce(updated_at, $2)
    from staged_${table} where fate = 'added' order by id`;
}

/** Whatever cannot be reached from above has itself among its parents, or hangs below something that has. */
const REFUSE_CIRCLES = `
with recursive sound as (
  select c.id from staged_categories c
  where c.parent_id is null or not exists (select 1 from staged_categories p where p.id = c.parent_id)
  union
  select c.id from sound join staged_categories c on c.parent_id = sound.id
)
update staged_categories set fate = 'rejected', reason = 'its parents go round in a circle'
where id not in (select id from sound)`;

/** Accounts may share a name in the file: the first of a name is the family's own of this name, if it is of the same kind. */
const FIND_ACCOUNTS = `
update staged_accounts s set target = o.id, fate = 'present'
from (select distinct on (name) * from staged_accounts where fate is null order by name, line) first
  join accounts o on o.family_id = $1 and o.name = first.name
    and (o.account_type, o.currency) = (first.account_type, first.currency)
where s.id = first.id and s.fate is null
  and o.id not in (select target from staged_accounts where target is not null)`;

const NUMBER_ACCOUNTS = `
update staged_accounts s set target = s.id, fate = 'added',
  name = case when numbered.nth = 1 then s.name else left(s.name, 190) || ' (' || numbered.nth || ')' end
from (
  select a.ctid as place, row_number() over (partition by a.name order by a.line) + case
    when not exists (select 1 from accounts o where o.family_id = $1 and o.name = a.name) then 0
    else (select count(*) from accounts o where o.family_id = $1
      and (o.name = a.name or starts_with(o.name, left(a.name, 190) || ' (')))
    end as nth
  from staged_accounts a where a.fate is null
) numbered
where numbered.place = s.ctid`;

const REFUSE_TAKEN_ACCOUNTS = `
update staged_accounts s set fate = 'rejected', reason = 'the family has another account of this name', target = null
from (
  select a.ctid as place, row_number() over (partition by a.name order by a.line) > 1
    or exists (select 1 from accounts o where o.family_id = $1 and o.name = a.name) as taken
  from staged_accounts a where a.fate = 'added'
) judged
where judged.place = s.ctid and judged.taken`;
