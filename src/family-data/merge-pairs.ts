import { INSERT_PAIRS } from '#src/family-data/insert-pairs.ts';
import type { Work } from '#src/kernel/work.ts';

/** Brings in transfers and rejected pairs, once their transactions are there. */
export async function mergePairs(work: Work, familyId: string): Promise<void> {
  await work.sql(REFUSE_REPEATED_IDS);
  await work.sql(mapSide('inflow_id'));
  await work.sql(mapSide('outflow_id'));
  await work.sql(REFUSE_INVALID, [familyId]);
  await work.sql(FIND_SAME, [familyId]);
  await work.sql(FIND_ID, [familyId]);
  await work.sql(REFUSE_RIVALS);
  await work.sql(YIELD_TO_CONFIRMED, [familyId]);
  await work.sql(`update staged_pairs set fate = 'added', target = id where fate is null`);
  for (const { sql, dated } of INSERT_PAIRS) {
    await work.sql(sql, dated ? [familyId, work.now()] : [familyId]);
  }
}

/** A transfer and a rejected pair may share an id: a pair keeps it when it is rejected. */
const REFUSE_REPEATED_IDS = `
update staged_pairs s set fate = 'rejected', reason = 'its id is on an earlier line already'
from (
  select ctid as place, row_number() over (partition by status = 'rejected', id order by line) as nth from staged_pairs
) numbered
where numbered.place = s.ctid and numbered.nth > 1`;

function mapSide(column: 'inflow_id' | 'outflow_id'): string {
  return `update staged_pairs p set ${column} = s.target
    from staged_transactions s where s.id = p.${column} and s.fate <> 'rejected' and s.target <> s.id`;
}

/** The same conditions as the database's own, but in words, and for all pairs at once. */
const REFUSE_INVALID = `
update staged_pairs s set fate = 'rejected', reason = judged.reason
from (
  select p.ctid as place, case
    when inflow.id is null then 'inflow_transaction_id names no transaction of this file or family'
    when outflow.id is null then 'outflow_transaction_id names no transaction of this file or family'
    when i.account_id = o.account_id then 'both transactions are in the same account'
    when i.amount_cents >= 0 or o.amount_cents <= 0 then 'money must come in with the inflow and leave with the outflow'
    when i.currency = o.currency and i.amount_cents + o.amount_cents <> 0 then 'the amounts are not exactly opposite'
    when row_number() over (partition by inflow_id, outflow_id order by p.status = 'rejected', p.line) > 1
      then 'the same two transactions are on another line already'
    end as reason
  from staged_pairs p
    left join transactions inflow on inflow.family_id = $1 and inflow.id = p.inflow_id
    left join entries i on i.family_id = $1 and i.id = inflow.entry_id
    left join transactions outflow on outflow.family_id = $1 and outflow.id = p.outflow_id
    left join entries o on o.family_id = $1 and o.id = outflow.entry_id
  where p.fate is null
) judged
where judged.place = s.ctid and judged.reason is not null`;

const HERE = `(
  select id, inflow_transaction_id, outflow_transaction_id, status from transfers where family_id = $1
  union all
  select id, inflow_transaction_id, outflow_transaction_id, 'rejected' from rejected_transfers where family_id = $1
)`;

const FIND_SAME = `
update staged_pairs s set target = o.id, fate = case when o.status = s.status then 'present' else 'conflict' end,
  reason = case when o.status = s.status then null else 'is ' || o.status || ' here, and stays so' end
from ${HERE} o
where o.inflow_transaction_id = s.inflow_id and o.outflow_transaction_id = s.outflow_id and s.fate is null`;

const FIND_ID = `
update staged_pairs s set fate = 'conflict', reason = 'its id belongs to another pair here'
from ${HERE} o
where o.id = s.id and (o.status = 'rejected') = (s.status = 'rejected') and s.fate is null`;

/** A transaction of a confirmed transfer is in no other. Of several that want it the first confirmed one gets it. */
const REFUSE_RIVALS = `
update staged_pairs s set fate = 'rejected', reason = 'one of its transactions is in a confirmed transfer on another line'
from (
  select ctid as place,
    coalesce(bool_or(status = 'confirmed') over (partition by inflow_id order by status = 'confirmed' desc, line
      rows between unbounded preceding and 1 preceding), false)
    or coalesce(bool_or(status = 'confirmed') over (partition by outflow_id order by status = 'confirmed' desc, line
      rows between unbounded preceding and 1 preceding), false) as late
  from staged_pairs where fate is null and status <> 'rejected'
) judged
where judged.place = s.ctid and judged.late`;

const YIELD_TO_CONFIRMED = `
update staged_pairs s set fate = 'conflict', reason = 'one of its transactions is in a confirmed transfer here'
from transfers o
where o.family_id = $1 and o.status = 'confirmed' and s.status <> 'rejected' and s.fate is null
  and (o.inflow_transaction_id = s.inflow_id or o.outflow_transaction_id = s.outflow_id)`;
