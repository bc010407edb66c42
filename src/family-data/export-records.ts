import { decimalAmount } from '#src/family-data/decimal-amount.ts';
import { accountableType, type RecordType } from '#src/family-data/record-types.ts';
import { isoTimestamp } from '#src/kernel/timestamp.ts';

interface Source {
  type: RecordType;
  /** `$1` is the family. Ordered, so that equal data gives equal documents. */
  sql: string;
  toData: (row: Record<string, unknown>) => Record<string, unknown>;
}

/** Everything of a family that is written out, in an order in which nothing refers to what is still to come. */
export const SOURCES: readonly Source[] = [
  {
    type: 'Family',
    sql: 'select currency, transfer_matching from families where id = $1',
    toData: (row) => row,
  },
  {
    type: 'Account',
    sql: `select id, name, account_type, currency, status, created_at, updated_at from accounts
      where family_id = $1 order by id`,
    toData: ({ id, name, account_type, currency, status, ...times }) => ({
      id,
      name,
      accountable_type: accountableType(String(account_type)),
      accountable: {},
      subtype: null,
      balance: null,
      currency,
      status,
      ...timesOf(times),
    }),
  },
  {
    type: 'Category',
    sql: `select id, name, color, null as parent_id, icon as lucide_icon, created_at, updated_at from categories
      where family_id = $1 order by id`,
    toData: (row) => ({ ...row, ...timesOf(row) }),
  },
  {
    type: 'Tag',
    sql: 'select id, name, color, created_at, updated_at from tags where family_id = $1 order by id',
    toData: (row) => ({ ...row, ...timesOf(row) }),
  },
  {
    type: 'Merchant',
    sql: 'select id, name, created_at, updated_at from merchants where family_id = $1 order by id',
    toData: (row) => ({ ...row, ...timesOf(row) }),
  },
  {
    type: 'Transaction',
    sql: `select t.id, t.entry_id, e.account_id, e.date, e.amount_cents, e.currency, e.name, e.notes,
        false as excluded, t.category_id, t.merchant_id,
        array(select tag_id from transaction_tags g
          where g.family_id = t.family_id and g.transaction_id = t.id order by tag_id) as tag_ids,
        t.kind, e.source, e.external_id, e.content_hash, t.created_at, t.updated_at
      from transactions t join entries e on e.family_id = t.family_id and e.id = t.entry_id
      where t.family_id = $1 order by t.id`,
    toData: ({ id, entry_id, account_id, date, amount_cents, ...row }) => ({
      id,
      entry_id,
      account_id,
      date,
      amount: decimalAmount(String(amount_cents), String(row.currency)),
      ...row,
      ...timesOf(row),
    }),
  },
  {
    type: 'Transfer',
    sql: `select id, inflow_transaction_id, outflow_transaction_id, status, null as notes, inflow_kind_before,
        outflow_kind_before, created_at, updated_at
      from transfers where family_id = $1 order by id`,
    toData: (row) => ({ ...row, ...timesOf(row) }),
  },
  {
    type: 'RejectedTransfer',
    sql: `select id, inflow_transaction_id, outflow_transaction_id, created_at, updated_at
      from rejected_transfers where family_id = $1 order by id`,
    toData: (row) => ({ ...row, ...timesOf(row) }),
  },
];

function timesOf({ created_at, updated_at }: Record<string, unknown>) {
  return { created_at: isoTimestamp(String(created_at)), updated_at: isoTimestamp(String(updated_at)) };
}
