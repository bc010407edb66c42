import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { findSides, findTransfer, type TransferReference } from '#src/ledger/find-transfer.ts';
import { lockPairs } from '#src/ledger/lock-pairs.ts';
import type { Transfer } from '#src/ledger/transfer.entity.ts';

/**
 * Makes a proposal a transfer: both kinds change, and other proposals with either transaction go. Throws `conflict`
 * when it is confirmed already, or one of its transactions belongs to another confirmed transfer.
 */
export async function confirmTransfer(work: Work, reference: TransferReference): Promise<Transfer> {
  await lockPairs(work, reference.familyId);
  const transfer = await findTransfer(work, reference);
  await settle(work, transfer);
  return transfer;
}

/** Confirms `transfer`, unless one of its transactions belongs to another confirmed one. */
export async function settle(work: Work, transfer: Transfer): Promise<void> {
  const rivals = await readRivals(work, transfer);
  if (rivals.some(({ status }) => status === 'confirmed')) {
    throw new AppError('conflict', 'One of the two transactions is already part of a confirmed transfer', {
      hint: 'Reject that transfer first; financectl transfers list --status confirmed shows it.',
    });
  }
  transfer.confirm(await findSides(work, transfer));
  await work.sql('delete from transfers where family_id = $1 and id = any($2::uuid[])', [
    transfer.familyId,
    rivals.map(({ id }) => id),
  ]);
  await work.em.flush();
}

async function readRivals(work: Work, transfer: Transfer): Promise<{ id: string; status: string }[]> {
  const { familyId, id, inflowTransactionId, outflowTransactionId } = transfer;
  return work.sql(
    `select id, status from transfers
     where family_id = $1 and id <> $2 and (inflow_transaction_id = $3 or outflow_transaction_id = $4)
     order by id for update`,
    [familyId, id, inflowTransactionId, outflowTransactionId],
  );
}
