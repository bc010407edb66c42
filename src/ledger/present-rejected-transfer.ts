import { formatMoney } from '#src/ledger/money.ts';
import type { RejectedTransferView, TransferSideView } from '#src/ledger/views.ts';

/** The JSON shape of a rejected pair (specification: RejectedTransfer), as API and CLI print it. */
export function presentRejectedTransfer({ id, inflow, outflow, createdAt, updatedAt }: RejectedTransferView) {
  return {
    id,
    inflow_transaction: presentSide(inflow),
    outflow_transaction: presentSide(outflow),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** Amounts keep the stored sign: the outflow is positive, the inflow negative. */
function presentSide(side: TransferSideView) {
  return {
    id: side.transactionId,
    entry_id: side.entryId,
    date: side.date,
    amount: formatMoney(side.amountCents, side.currency),
    amount_cents: side.amountCents,
    currency: side.currency,
    name: side.name,
    kind: side.kind,
    account: { id: side.account.id, name: side.account.name, account_type: side.account.accountType },
  };
}
