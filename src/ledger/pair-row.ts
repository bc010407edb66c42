import { isoTimestamp } from '#src/kernel/timestamp.ts';
import { lookUp } from '#src/ledger/look-up.ts';
import type { PairView } from '#src/ledger/views.ts';

type Side = 'inflow' | 'outflow';

type SideColumns<S extends Side> = Record<
  | `${S}_transaction_id`
  | `${S}_entry_id`
  | `${S}_date`
  | `${S}_amount`
  | `${S}_currency`
  | `${S}_name`
  | `${S}_kind`
  | `${S}_account_id`
  | `${S}_account_name`
  | `${S}_account_type`,
  string
>;

export interface PairRow extends SideColumns<'inflow'>, SideColumns<'outflow'> {
  id: string;
  created_at: string;
  updated_at: string;
}

/** The columns of a pair (a transfer or a rejected one) and both its sides; `pair` is the pair's alias. */
export function pairColumns(pair: string): string {
  return `${pair}.id, ${pair}.created_at, ${pair}.updated_at, ${sideColumns('inflow')}, ${sideColumns('outflow')}`;
}

/** The tables behind `pairColumns`, each found by its primary key. */
export function pairJoins(pair: string, join: 'join' | 'left join'): string {
  return `${sideJoins(pair, 'inflow', join)} ${sideJoins(pair, 'outflow', join)}`;
}

/** Both sides are spelled out: property names put together at run time would double the cost of a page. */
export function toPair(row: PairRow): PairView {
  return {
    id: row.id,
    inflow: {
      transactionId: row.inflow_transaction_id,
      entryId: row.inflow_entry_id,
      date: row.inflow_date,
      amountCents: Number(row.inflow_amount),
      currency: row.inflow_currency,
      name: row.inflow_name,
      kind: row.inflow_kind,
      account: {
        id: row.inflow_account_id,
        name: row.inflow_account_name,
        accountType: row.inflow_account_type,
      },
    },
    outflow: {
      transactionId: row.outflow_transaction_id,
      entryId: row.outflow_entry_id,
      date: row.outflow_date,
      amountCents: Number(row.outflow_amount),
      currency: row.outflow_currency,
      name: row.outflow_name,
      kind: row.outflow_kind,
      account: {
        id: row.outflow_account_id,
        name: row.outflow_account_name,
        accountType: row.outflow_account_type,
      },
    },
    createdAt: isoTimestamp(row.created_at),
    updatedAt: isoTimestamp(row.updated_at),
  };
}

function sideColumns(side: Side): string {
  return `${side}_t.id as ${side}_transaction_id, ${side}_t.entry_id as ${side}_entry_id,
    ${side}_t.kind as ${side}_kind, ${side}_e.date as ${side}_date, ${side}_e.amount_cents as ${side}_amount,
    ${side}_e.currency as ${side}_currency, ${side}_e.name as ${side}_name,
    ${side}_a.id as ${side}_account_id, ${side}_a.name as ${side}_account_name,
    ${side}_a.account_type as ${side}_account_type`;
}

function sideJoins(pair: string, side: Side, join: string): string {
  const [t, e, a] = [`${side}_t`, `${side}_e`, `${side}_a`];
  return `${lookUp(join, 'transactions', t, `${pair}.family_id`, `${pair}.${side}_transaction_id`)}
  ${lookUp(join, 'entries', e, `${t}.family_id`, `${t}.entry_id`)}
  ${lookUp(join, 'accounts', a, `${e}.family_id`, `${e}.account_id`)}`;
}
