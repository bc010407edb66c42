import type { Work } from '#src/kernel/work.ts';
import { type PairRow, pairColumns, pairJoins, toPair } from '#src/ledger/pair-row.ts';
import type { TransferView } from '#src/ledger/views.ts';

export interface TransferFilter {
  familyId: string;
  /** Default: pending and confirmed ones. */
  status?: TransferView['status'] | undefined;
}

/** Newest first. */
export async function listTransfers(
  work: Work,
  { familyId, status }: TransferFilter,
): Promise<TransferView[]> {
  const pairs =
    status === 'rejected'
      ? `select *, 'rejected' as status from rejected_transfers`
      : `select * from transfers${status === undefined ? '' : ' where status = $2'}`;
  const rows = await work.sql<PairRow & Pick<TransferView, 'status'>>(
    `select p.status, ${pairColumns('p')} from (${pairs}) p ${pairJoins('p', 'join')}
     where p.family_id = $1 order by p.created_at desc, p.id desc`,
    status === undefined || status === 'rejected' ? [familyId] : [familyId, status],
  );
  return rows.map((row) => ({ ...toPair(row), status: row.status }));
}
