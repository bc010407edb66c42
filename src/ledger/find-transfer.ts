import { LockMode } from '@mikro-orm/core';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { Account } from '#src/ledger/account.entity.ts';
import { Entry } from '#src/ledger/entry.entity.ts';
import { Transaction } from '#src/ledger/transaction.entity.ts';
import { Transfer, type TransferSides } from '#src/ledger/transfer.entity.ts';

export interface TransferReference {
  familyId: string;
  id: string;
}

/** The pending or confirmed transfer of this id, locked until the unit of work ends. Throws `not_found`. */
export async function findTransfer(work: Work, reference: TransferReference): Promise<Transfer> {
  const transfer = await lookUpTransfer(work, reference);
  if (!transfer) throw unknownTransfer(reference.id);
  return transfer;
}

/** Like `findTransfer`, for whom there may be none. */
export async function lookUpTransfer(
  work: Work,
  { familyId, id }: TransferReference,
): Promise<Transfer | null> {
  if (!isUuid(id)) return null;
  return work.em.findOne(Transfer, { familyId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

export function unknownTransfer(id: string): AppError {
  return new AppError('not_found', `No transfer has the id "${id}"`, {
    hint: 'financectl transfers list shows them; add --status rejected for rejected ones.',
  });
}

/** Both transactions of a transfer, and the kind of account the money goes to. */
export async function findSides(
  work: Work,
  { familyId, inflowTransactionId, outflowTransactionId }: Transfer,
): Promise<TransferSides> {
  const inflow = await work.em.findOneOrFail(Transaction, { familyId, id: inflowTransactionId });
  const outflow = await work.em.findOneOrFail(Transaction, { familyId, id: outflowTransactionId });
  const entry = await work.em.findOneOrFail(Entry, { familyId, id: inflow.entryId });
  const account = await work.em.findOneOrFail(Account, { familyId, id: entry.accountId });
  return { inflow, outflow, destination: account.accountType };
}
