import { refuseRepeatedIds } from '#src/family-data/merge-named.ts';
import type { Work } from '#src/kernel/work.ts';

/** What transactions name that is neither in the file nor in the family; they come in without it. */
export type Missing = Readonly<Record<'category_id' | 'merchant_id' | 'tag_ids', number>>;

/** Decides which transactions are new. Accounts, categories, tags and merchants must be there already. */
export async function judgeTransactions(work: Work, familyId: string): Promise<Missing> {
  await work.sql(refuseRepeatedIds('transactions'));
  await work.sql(refuseRepeatedIds('transactions', 'entry_id'));
  await work.sql(mapTo('account_id', 'accounts'));
  await work.sql(REFUSE_WITHOUT_ACCOUNT, [familyId]);
  const missing = {
    category_id: await resolve(work, familyId, 'category_id', 'categories'),
    merchant_id: await resolve(work, familyId, 'merchant_id', 'merchants'),
    tag_ids: Number((await work.sql<{ count: string }>(COUNT_MISSING_TAGS, [familyId]))[0]?.count),
  };
  await work.sql(MAP_TAGS, [familyId]);

  await work.sql(FIND_BY_ID, [familyId]);
  await work.sql(REFUSE_TAKEN_ENTRIES, [familyId]);
  await work.sql(findTwins('e.source = s.source and e.external_id = s.external_id'), [familyId]);
  await work.sql(findTwins('e.content_hash = s.content_hash'), [familyId]);
  await work.sql(refuseRepeatedIds('transactions', 'external_id', 'account_id, source,'));
  await work.sql(refuseRepeatedIds('transactions', 'content_hash', 'account_id,'));
  await work.sql(`update staged_transactions set fate = 'added', target = id where fate is null`);
  return missing;
}

/** `importIds`: one import for each account that gets something. */
export async function insertTransactions(
  work: Work,
  familyId: string,
  importIds: readonly string[],
): Promise<void> {
  await work.sql(INSERT_ENTRIES, [familyId, importIds]);
  await work.sql(INSERT_TRANSACTIONS, [familyId, work.now()]);
  await work.sql(INSERT_TAGS, [familyId]);
}

/** From the ids of the file to those of the family. */
function mapTo(column: string, table: string): string {
  return `update staged_transactions s set ${column} = t.target
    from staged_${table} t where t.id = s.${column} and t.fate <> 'rejected' and t.target <> t.id`;
}

async function resolve(work: Work, familyId: string, column: string, table: string): Promise<number> {
  await work.sql(mapTo(column, table));
  const [row] = await work.sql<{ count: string }>(
    `with missing as (
       update staged_transactions s set ${column} = null
       where ${column} is not null
         and not exists (select 1 from ${table} o where o.family_id = $1 and o.id = s.${column})
       returning 1
     ) select count(*) from missing`,
    [familyId],
  );
  return Number(row?.count);
}

const REFUSE_WITHOUT_ACCOUNT = `
update staged_transactions s set fate = 'rejected', reason = 'account_id names no account of this file or family'
where fate is null and not exists (select 1 from accounts o where o.family_id = $1 and o.id = s.account_id)`;

const TAGS_OF_S = `unnest(s.tag_ids) as named (id)
    left join staged_tags g on g.id = named.id and g.fate <> 'rejected'
    left join tags o on o.family_id = $1 and o.id = coalesce(g.target, named.id)`;

const COUNT_MISSING_TAGS = `
select count(distinct s.id) from staged_transactions s cross join lateral (
  select o.id from ${TAGS_OF_S}
) found where found.id is null and s.tag_ids <> '{}'`;

const MAP_TAGS = `
update staged_transactions s set tag_ids = (
  select coalesce(array_agg(distinct o.id order by o.id) filter (where o.id is not null), '{}') from ${TAGS_OF_S}
) where s.tag_ids <> '{}'`;

/** Kinds are left out: they change with what is decided about transfers. */
const FIND_BY_ID = `
update staged_transactions s set target = s.id,
  fate = case when o.same then 'present' else 'conflict' end,
  reason = case when o.same then null else 'differs from what is here under its id, which stays as it is' end
from (
  select f.id, (e.account_id, e.date, e.amount_cents, e.currency, e.name, e.source)
      = (f.account_id, f.date, f.amount_cents, f.currency, f.name, f.source)
    and e.notes is not distinct from f.notes and e.external_id is not distinct from f.external_id
    and t.category_id is not distinct from f.category_id and t.merchant_id is not distinct from f.merchant_id
    and f.tag_ids = array(select tag_id from transaction_tags g
      where g.family_id = $1 and g.transaction_id = t.id order by tag_id) as same
  from staged_transactions f
    join transactions t on t.family_id = $1 and t.id = f.id
    join entries e on e.family_id = $1 and e.id = t.entry_id
) o
where o.id = s.id and s.fate is null`;

const REFUSE_TAKEN_ENTRIES = `
update staged_transactions s set fate = 'rejected', reason = 'its entry_id belongs to another transaction here'
where fate is null and exists (select 1 from entries o where o.family_id = $1 and o.id = s.entry_id)`;

/** The same transaction, come in another way. */
function findTwins(equal: string): string {
  return `update staged_transactions s set target = t.id, fate = 'present'
    from entries e join transactions t on t.family_id = e.family_id and t.entry_id = e.id
    where e.family_id = $1 and e.account_id = s.account_id and ${equal} and s.fate is null`;
}

const INSERT_ENTRIES = `
insert into entries (family_id, id, account_id, date, amount_cents, currency, name, notes, source, external_id,
  content_hash, import_id)
select $1, s.entry_id, s.account_id, s.date, s.amount_cents, s.currency, s.name, s.notes, s.source, s.external_id,
  s.content_hash, i.id
from staged_transactions s
  join imports i on i.family_id = $1 and i.id = any($2::uuid[]) and i.account_id = s.account_id
where s.fate = 'added' order by s.entry_id`;

const INSERT_TRANSACTIONS = `
insert into transactions (family_id, id, entry_id, kind, category_id, merchant_id, created_at, updated_at)
select $1, id, entry_id, kind, category_id, merchant_id, coalesce(created_at, $2), coalesce(updated_at, $2)
from staged_transactions where fate = 'added' order by id`;

const INSERT_TAGS = `
insert into transaction_tags (family_id, transaction_id, tag_id)
select $1, s.id, tag.id from staged_transactions s cross join unnest(s.tag_ids) as tag (id)
where s.fate = 'added' order by s.id, tag.id`;
