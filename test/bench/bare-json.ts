import { isoTimestamp } from '#src/kernel/timestamp.ts';
import { formatMoney } from '#src/ledger/money.ts';
import type { PairRow } from '#src/ledger/pair-row.ts';
import type { TransactionRow } from '#src/ledger/transaction-row.ts';

export type { TransactionRow };
export type RejectedRow = PairRow & { total: string };

/** The shortest way from a row to the answer; the product goes through views and presenters instead. */
export function toRejectedTransfer(row: RejectedRow) {
  return {
    id: row.id,
    inflow_transaction: toSide(row, 'inflow'),
    outflow_transaction: toSide(row, 'outflow'),
    created_at: isoTimestamp(row.created_at),
    updated_at: isoTimestamp(row.updated_at),
  };
}

function toSide(row: RejectedRow, side: 'inflow' | 'outflow') {
  const cents = Number(row[`${side}_amount`]);
  const currency = row[`${side}_currency`];
  return {
    id: row[`${side}_transaction_id`],
    entry_id: row[`${side}_entry_id`],
    date: row[`${side}_date`],
    amount: formatMoney(cents, currency),
    amount_cents: cents,
    currency,
    name: row[`${side}_name`],
    kind: row[`${side}_kind`],
    account: {
      id: row[`${side}_account_id`],
      name: row[`${side}_account_name`],
      account_type: row[`${side}_account_type`],
    },
  };
}

export function toTransaction(row: TransactionRow) {
  const cents = Number(row.amount_cents);
  const tags: unknown = row.tags === null ? [] : JSON.parse(row.tags);
  return {
    id: row.id,
    date: row.date,
    amount: formatMoney(cents, row.currency),
    amount_cents: Math.abs(cents),
    signed_amount_cents: 0 - cents,
    currency: row.currency,
    name: row.name,
    classification: cents < 0 ? 'income' : 'expense',
    notes: row.notes,
    external_id: row.external_id,
    source: row.source,
    account: {
      id: row.account_id,
      name: row.account_name,
      account_type: row.account_type,
      status: row.account_status,
    },
    category: row.category_id && {
      id: row.category_id,
      name: row.category_name,
      color: row.category_color,
      icon: row.category_icon,
    },
    merchant: row.merchant_id && { id: row.merchant_id, name: row.merchant_name },
    tags,
    transfer: row.transfer_id && {
      id: row.transfer_id,
      amount: formatMoney(Number(row.transfer_amount), row.transfer_currency),
      currency: row.transfer_currency,
      other_account: {
        id: row.other_account_id,
        name: row.other_account_name,
        account_type: row.other_account_type,
        status: row.other_account_status,
      },
    },
    created_at: isoTimestamp(row.created_at),
    updated_at: isoTimestamp(row.updated_at),
  };
}
