import { lookUp } from '#src/ledger/look-up.ts';
import { type PairView, type TransferSideView, toTimes } from '#src/ledger/views.ts';

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

export function toPair(row: PairRow): PairView {
  return { id: row.id, inflow: toSide(row, 'inflow'), outflow: toSide(row, 'outflow'), ...toTimes(row) };
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

function toSide(row: PairRow, side: Side): TransferSideView {
  return {
    transactionId: row[`${side}_transaction_id`],
    entryId: row[`${side}_entry_id`],
    date: row[`${side}_date`],
    amountCents: Number(row[`${side}_amount`]),
    currency: row[`${side}_currency`],
    name: row[`${side}_name`],
    kind: row[`${side}_kind`],
    account: {
      id: row[`${side}_account_id`],
      name: row[`${side}_account_name`],
      accountType: row[`${side}_account_type`],
    },
  };
}
