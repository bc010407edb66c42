import { formatMoney } from '#src/ledger/money.ts';
import { presentAccountSummary } from '#src/ledger/present-account.ts';
import type { TransactionView, TransferSummary } from '#src/ledger/views.ts';

/**
 * The JSON shape of a transaction (specification: Transaction). `amount` carries the stored sign, positive when
 * money leaves; `amount_cents` is absolute and `signed_amount_cents` positive for income.
 */
export function presentTransaction(view: TransactionView) {
  const { amountCents, currency } = view;
  return {
    id: view.id,
    date: view.date,
    amount: formatMoney(amountCents, currency),
    amount_cents: Math.abs(amountCents),
    // Subtraction, because negating zero would make it negative.
    signed_amount_cents: 0 - amountCents,
    currency,
    name: view.name,
    classification: amountCents < 0 ? 'income' : 'expense',
    notes: view.notes,
    external_id: view.externalId,
    source: view.source,
    account: presentAccountSummary(view.account),
    category: view.category,
    merchant: view.merchant,
    tags: view.tags,
    transfer: view.transfer && presentTransfer(view.transfer),
    created_at: view.createdAt,
    updated_at: view.updatedAt,
  };
}

function presentTransfer({ id, amountCents, currency, otherAccount }: TransferSummary) {
  return {
    id,
    amount: formatMoney(amountCents, currency),
    currency,
    other_account: presentAccountSummary(otherAccount),
  };
}
