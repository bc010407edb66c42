import type { Work } from '#src/kernel/work.ts';
import {
  findSides,
  lookUpTransfer,
  type TransferReference,
  unknownTransfer,
} from '#src/ledger/find-transfer.ts';
import { lockPairs } from '#src/ledger/lock-pairs.ts';
import { RejectedTransfer } from '#src/ledger/rejected-transfer.entity.ts';
import { lookUpRejectedTransfer } from '#src/ledger/unreject-transfer.ts';

/**
 * Says that a pending or confirmed pair is no transfer: both kinds become what they were, and automatic matching
 * leaves this pair alone from now on. The pair keeps its id, so rejecting it again changes nothing.
 */
export async function rejectTransfer(work: Work, reference: TransferReference): Promise<RejectedTransfer> {
  await lockPairs(work, reference.familyId);
  const transfer = await lookUpTransfer(work, reference);
  if (!transfer) {
    const rejected = await lookUpRejectedTransfer(work, reference);
    if (rejected) return rejected;
    throw unknownTransfer(reference.id);
  }

  transfer.restoreKinds(await findSides(work, transfer));
  work.em.remove(transfer);
  // The database refuses a pair that is both, so one must be gone before the other comes.
  await work.em.flush();
  const { familyId, id, inflowTransactionId, outflowTransactionId } = transfer;
  const rejected = work.em.create(RejectedTransfer, {
    familyId,
    id,
    inflowTransactionId,
    outflowTransactionId,
  });
  await work.em.flush();
  return rejected;
}
