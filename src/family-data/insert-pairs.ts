import { ACCOUNT_TYPES } from '#src/ledger/account-types.ts';
import { INFLOW_KIND, outflowKind } from '#src/ledger/transaction-kinds.ts';

const OUTFLOW_KIND = `case a.account_type ${ACCOUNT_TYPES.map((type) => `when '${type}' then '${outflowKind(type)}'`).join(' ')} end`;

/** As when a transfer is confirmed here: proposals that want one of its transactions go. */
const DELETE_RIVALS = `
delete from transfers o using staged_pairs s
where o.family_id = $1 and o.status = 'pending' and s.fate = 'added' and s.status = 'confirmed'
  and (o.inflow_transaction_id = s.inflow_id or o.outflow_transaction_id = s.outflow_id)`;

/**
 * The kinds that rejecting a confirmed transfer brings back: what the file says of its own transactions, else what
 * the transaction is here.
 */
const INSERT_TRANSFERS = `
insert into transfers (family_id, id, inflow_transaction_id, outflow_transaction_id, status, inflow_kind_before,
  outflow_kind_before, created_at, updated_at)
select $1, s.id, s.inflow_id, s.outflow_id, s.status,
  case when s.status = 'confirmed' then ${kindBefore('inflow')} end,
  case when s.status = 'confirmed' then ${kindBefore('outflow')} end,
  coalesce(s.created_at, $2), coalesce(s.updated_at, $2)
from staged_pairs s
  join transactions inflow on inflow.family_id = $1 and inflow.id = s.inflow_id
  join transactions outflow on outflow.family_id = $1 and outflow.id = s.outflow_id
where s.fate = 'added' and s.status <> 'rejected' order by s.id`;

const INSERT_REJECTED = `
insert into rejected_transfers (family_id, id, inflow_transaction_id, outflow_transaction_id, created_at, updated_at)
select $1, id, inflow_id, outflow_id, coalesce(created_at, $2), coalesce(updated_at, $2)
from staged_pairs where fate = 'added' and status = 'rejected' order by id`;

/** Here a proposal leaves the kinds alone; who proposed it elsewhere may have set them. */
const RESET_PROPOSED = `
update transactions t set kind = 'standard'
from staged_pairs s
where s.fate = 'added' and s.status = 'pending' and not s.kinds_known
  and t.family_id = $1 and t.id in (s.inflow_id, s.outflow_id) and t.kind not in ('standard', 'one_time')
  and exists (select 1 from staged_transactions n where n.target = t.id and n.fate = 'added')`;

/** Where neither the file nor anybody before has given the sides of a confirmed transfer their kinds. */
const SETTLE_KINDS = `
update transactions t set kind = settled.kind, updated_at = case when settled.is_new then t.updated_at else $2 end
from (
  select side.id, side.kind, s.kinds_known, exists (
      select 1 from staged_transactions n where n.target = side.id and n.fate = 'added') as is_new
  from staged_pairs s
    join transactions inflow on inflow.family_id = $1 and inflow.id = s.inflow_id
    join entries e on e.family_id = $1 and e.id = inflow.entry_id
    join accounts a on a.family_id = $1 and a.id = e.account_id
    cross join lateral (values (s.inflow_id, '${INFLOW_KIND}'), (s.outflow_id, ${OUTFLOW_KIND})) as side (id, kind)
  where s.fate = 'added' and s.status = 'confirmed'
) settled
where t.family_id = $1 and t.id = settled.id and t.kind <> settled.kind
  and (not settled.is_new or (not settled.kinds_known and t.kind = 'standard'))`;

/** In this order; `dated` ones take the moment as `$2`. */
export const INSERT_PAIRS = [
  { sql: DELETE_RIVALS, dated: false },
  { sql: INSERT_TRANSFERS, dated: true },
  { sql: INSERT_REJECTED, dated: true },
  { sql: RESET_PROPOSED, dated: false },
  { sql: SETTLE_KINDS, dated: true },
];

function kindBefore(side: 'inflow' | 'outflow'): string {
  return `case
    when not exists (select 1 from staged_transactions n where n.target = ${side}.id and n.fate = 'added')
      then ${side}.kind
    when s.kinds_known then coalesce(s.${side}_kind_before, 'standard')
    else 'standard' end`;
}
