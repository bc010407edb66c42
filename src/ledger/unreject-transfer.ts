import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { type TransferReference, unknownTransfer } from '#src/ledger/find-transfer.ts';
import { lockPairs } from '#src/ledger/lock-pairs.ts';
import { RejectedTransfer } from '#src/ledger/rejected-transfer.entity.ts';

/** Takes a rejection back: the pair may be proposed again. */
export async function unrejectTransfer(work: Work, reference: TransferReference): Promise<void> {
  await lockPairs(work, reference.familyId);
  const rejected = await lookUpRejectedTransfer(work, reference);
  if (!rejected) throw unknownTransfer(reference.id);
  work.em.remove(rejected);
  await work.em.flush();
}

export async function lookUpRejectedTransfer(
  work: Work,
  { familyId, id }: TransferReference,
): Promise<RejectedTransfer | null> {
  return isUuid(id) ? work.em.findOne(RejectedTransfer, { familyId, id }) : null;
}
