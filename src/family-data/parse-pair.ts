import { type Data, readChoice, readId } from '#src/family-data/read-fields.ts';
import { TRANSACTION_KINDS } from '#src/ledger/transaction-kinds.ts';

const STATUSES = ['pending', 'confirmed'] as const;

/** A row of `staged_pairs`. */
export function parsePair(data: Data, type: 'transfer' | 'rejected') {
  return {
    id: readId(data, 'id', 'pair'),
    inflow_id: readId(data, 'inflow_transaction_id', 'transaction'),
    outflow_id: readId(data, 'outflow_transaction_id', 'transaction'),
    status: type === 'rejected' ? 'rejected' : (readChoice(data, 'status', STATUSES) ?? 'pending'),
    inflow_kind_before: readChoice(data, 'inflow_kind_before', TRANSACTION_KINDS),
    outflow_kind_before: readChoice(data, 'outflow_kind_before', TRANSACTION_KINDS),
    // Sure gives both sides another kind when it proposes a transfer, and does not say which they had.
    kinds_known: 'inflow_kind_before' in data,
  };
}
