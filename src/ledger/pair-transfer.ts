import { AppError, invalid } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/new-id.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { MANUAL_WINDOW_DAYS } from '#src/ledger/choose-pairs.ts';
import { settle } from '#src/ledger/confirm-transfer.ts';
import { Entry } from '#src/ledger/entry.entity.ts';
import { lockPairs } from '#src/ledger/lock-pairs.ts';
import { RejectedTransfer } from '#src/ledger/rejected-transfer.entity.ts';
import { Transaction } from '#src/ledger/transaction.entity.ts';
import { Transfer } from '#src/ledger/transfer.entity.ts';

export interface ManualPair {
  familyId: string;
  /** In either order. */
  transactionIds: readonly [string, string];
}

interface Side {
  transaction: Transaction;
  entry: Entry;
}

/** Makes a confirmed transfer of two transactions somebody chose; an earlier rejection of the pair is taken back. */
export async function pairTransfer(work: Work, { familyId, transactionIds }: ManualPair): Promise<Transfer> {
  await lockPairs(work, familyId);
  const [first, second] = transactionIds;
  const sides = [await findSide(work, familyId, first), await findSide(work, familyId, second)] as const;
  const [inflow, outflow] = sides[0].entry.amountCents < 0 ? sides : [sides[1], sides[0]];
  requirePair(inflow.entry, outflow.entry);

  const pair = {
    familyId,
    inflowTransactionId: inflow.transaction.id,
    outflowTransactionId: outflow.transaction.id,
  };
  await work.em.nativeDelete(RejectedTransfer, pair);
  const transfer =
    (await work.em.findOne(Transfer, pair)) ??
    work.em.create(Transfer, {
      ...pair,
      id: newId(),
      status: 'pending',
      inflowKindBefore: null,
      outflowKindBefore: null,
    });
  await work.em.flush();
  await settle(work, transfer);
  return transfer;
}

async function findSide(work: Work, familyId: string, id: string): Promise<Side> {
  const transaction = isUuid(id) ? await work.em.findOne(Transaction, { familyId, id }) : null;
  if (!transaction) {
    throw new AppError('not_found', `No transaction has the id "${id}"`, {
      hint: 'financectl transactions list shows them all.',
    });
  }
  return { transaction, entry: await work.em.findOneOrFail(Entry, { familyId, id: transaction.entryId }) };
}

function requirePair(inflow: Entry, outflow: Entry): void {
  const problems: string[] = [];
  if (inflow.accountId === outflow.accountId) problems.push('both transactions are in the same account');
  if (inflow.amountCents >= 0 || outflow.amountCents <= 0) {
    problems.push('one transaction must bring money in and the other take it out');
  } else if (inflow.currency === outflow.currency && inflow.amountCents + outflow.amountCents !== 0) {
    problems.push('the amounts are not exactly opposite');
  }
  const days = Math.abs(Date.parse(inflow.date) - Date.parse(outflow.date)) / 86_400_000;
  if (days > MANUAL_WINDOW_DAYS)
    problems.push(`the dates are ${days} days apart, more than ${MANUAL_WINDOW_DAYS}`);
  if (problems.length > 0) throw invalid(problems);
}
