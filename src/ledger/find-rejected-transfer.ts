import { notFound } from '#src/kernel/errors.ts';
import type { Reader, ReadQuery } from '#src/kernel/reader.ts';
import { isUuid, NO_UUID } from '#src/kernel/uuid.ts';
import { type PairRow, pairColumns, pairJoins, toPair } from '#src/ledger/pair-row.ts';
import type { RejectedTransferView } from '#src/ledger/views.ts';

const QUERY: ReadQuery = {
  name: 'rejected_transfer',
  text: `select k.key_id, k.scope, ${pairColumns('p')}
from k left join rejected_transfers p on p.family_id = k.family_id and p.id = $2
${pairJoins('p', 'left join')}`,
};

/** Throws `not_found` alike for an unknown, a malformed and another family's id. */
export async function findRejectedTransfer(reader: Reader, id: string): Promise<RejectedTransferView> {
  const [row] = await reader.read<PairRow>(QUERY, [isUuid(id) ? id : NO_UUID]);
  if (row?.id == null) throw notFound('Rejected transfer');
  return toPair(row);
}
