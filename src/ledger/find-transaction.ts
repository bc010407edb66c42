import { notFound } from '#src/kernel/errors.ts';
import type { Reader, ReadQuery } from '#src/kernel/reader.ts';
import { isUuid, NO_UUID } from '#src/kernel/uuid.ts';
import { lookUp } from '#src/ledger/look-up.ts';
import {
  TRANSACTION_COLUMNS,
  TRANSACTION_JOINS,
  type TransactionRow,
  toTransaction,
} from '#src/ledger/transaction-row.ts';
import type { TransactionView } from '#src/ledger/views.ts';

const QUERY: ReadQuery = {
  name: 'transaction',
  text: `select k.key_id, k.scope, ${TRANSACTION_COLUMNS}
from k
  left join transactions t on t.family_id = k.family_id and t.id = $2
  ${lookUp('left join', 'entries', 'e', 't.family_id', 't.entry_id')}
  ${TRANSACTION_JOINS}`,
};

/** Throws `not_found` alike for an unknown, a malformed and another family's id. */
export async function findTransaction(reader: Reader, id: string): Promise<TransactionView> {
  const [row] = await reader.read<TransactionRow>(QUERY, [isUuid(id) ? id : NO_UUID]);
  if (row?.id == null) throw notFound('Transaction');
  return toTransaction(row);
}
