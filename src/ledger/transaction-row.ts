import { lookUp } from '#src/ledger/look-up.ts';
import { type TransactionView, type TransferSummary, toTimes } from '#src/ledger/views.ts';

export interface TransactionRow {
  id: string;
  kind: string;
  created_at: string;
  updated_at: string;
  date: string;
  amount_cents: string;
  currency: string;
  name: string;
  notes: string | null;
  external_id: string | null;
  source: string | null;
  account_id: string;
  account_name: string;
  account_type: string;
  account_status: string;
  category_id: string | null;
  category_name: string;
  category_color: string;
  category_icon: string;
  merchant_id: string | null;
  merchant_name: string;
  /** JSON array, or null when there are none. */
  tags: string | null;
  transfer_id: string | null;
  transfer_amount: string;
  transfer_currency: string;
  other_account_id: string;
  other_account_name: string;
  other_account_type: string;
  other_account_status: string;
}

/** Everything the API shows of a transaction. `t` is the alias of transactions and `e` of entries. */
export const TRANSACTION_COLUMNS = `t.id, t.kind, t.created_at, t.updated_at,
  e.date, e.amount_cents, e.currency, e.name, e.notes, e.external_id, e.source,
  a.id as account_id, a.name as account_name, a.account_type, a.status as account_status,
  c.id as category_id, c.name as category_name, c.color as category_color, c.icon as category_icon,
  m.id as merchant_id, m.name as merchant_name,
  (select json_agg(json_build_object('id', g.id, 'name', g.name, 'color', g.color) order by g.name)
    from transaction_tags tt ${lookUp('join', 'tags', 'g', 'tt.family_id', 'tt.tag_id')}
    where tt.family_id = t.family_id and tt.transaction_id = t.id) as tags,
  x.transfer_id, x.transfer_amount, x.transfer_currency,
  o.id as other_account_id, o.name as other_account_name, o.account_type as other_account_type,
  o.status as other_account_status`;

/** The tables behind `TRANSACTION_COLUMNS`. Of several transfers the confirmed one is shown, else the first proposal. */
export const TRANSACTION_JOINS = `
  ${lookUp('left join', 'accounts', 'a', 'e.family_id', 'e.account_id')}
  ${lookUp('left join', 'categories', 'c', 't.family_id', 't.category_id')}
  ${lookUp('left join', 'merchants', 'm', 't.family_id', 't.merchant_id')}
  left join lateral (
    select s.id as transfer_id, oe.account_id as other_account_id,
      abs(case when e.amount_cents < 0 then e.amount_cents else oe.amount_cents end) as transfer_amount,
      case when e.amount_cents < 0 then e.currency else oe.currency end as transfer_currency
    from (
      select id, status, outflow_transaction_id as other_id from transfers
        where family_id = t.family_id and inflow_transaction_id = t.id
      union all
      select id, status, inflow_transaction_id from transfers
        where family_id = t.family_id and outflow_transaction_id = t.id
      order by status, id limit 1
    ) s
    ${lookUp('join', 'transactions', 'ot', 't.family_id', 's.other_id')}
    ${lookUp('join', 'entries', 'oe', 'ot.family_id', 'ot.entry_id')}
  ) x on true
  ${lookUp('left join', 'accounts', 'o', 't.family_id', 'x.other_account_id')}`;

export function toTransaction(row: TransactionRow): TransactionView {
  return {
    id: row.id,
    date: row.date,
    amountCents: Number(row.amount_cents),
    currency: row.currency,
    name: row.name,
    notes: row.notes,
    externalId: row.external_id,
    source: row.source,
    kind: row.kind,
    account: {
      id: row.account_id,
      name: row.account_name,
      accountType: row.account_type,
      status: row.account_status,
    },
    category: row.category_id
      ? { id: row.category_id, name: row.category_name, color: row.category_color, icon: row.category_icon }
      : null,
    merchant: row.merchant_id ? { id: row.merchant_id, name: row.merchant_name } : null,
    tags: row.tags === null ? [] : JSON.parse(row.tags),
    transfer: toTransfer(row),
    ...toTimes(row),
  };
}

function toTransfer(row: TransactionRow): TransferSummary | null {
  if (row.transfer_id === null) return null;
  return {
    id: row.transfer_id,
    amountCents: Number(row.transfer_amount),
    currency: row.transfer_currency,
    otherAccount: {
      id: row.other_account_id,
      name: row.other_account_name,
      accountType: row.other_account_type,
      status: row.other_account_status,
    },
  };
}
