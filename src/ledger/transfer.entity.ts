import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id, timestamps } from '#src/kernel/columns.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { AccountType } from '#src/ledger/account-types.ts';
import type { Transaction } from '#src/ledger/transaction.entity.ts';
import { INFLOW_KIND, outflowKind, TRANSACTION_KINDS } from '#src/ledger/transaction-kinds.ts';

const TRANSFER_STATUSES = ['pending', 'confirmed'] as const;

const TransferSchema = defineEntity({
  name: 'Transfer',
  tableName: 'transfers',
  properties: {
    familyId,
    id,
    inflowTransactionId: p.uuid(),
    outflowTransactionId: p.uuid(),
    status: p.enum(TRANSFER_STATUSES),
    /** The kinds as they were before confirmation, for the way back; null while pending. */
    inflowKindBefore: p.enum(TRANSACTION_KINDS).nullable(),
    outflowKindBefore: p.enum(TRANSACTION_KINDS).nullable(),
    ...timestamps,
  },
});

/** The two sides of a transfer, and the kind of account the money goes to. */
export interface TransferSides {
  inflow: Transaction;
  outflow: Transaction;
  destination: AccountType;
}

/** An inflow and an outflow that are one movement between two accounts of a family. */
export class Transfer extends TransferSchema.class {
  confirm({ inflow, outflow, destination }: TransferSides): void {
    if (this.status === 'confirmed') throw new AppError('conflict', 'This transfer is already confirmed');
    this.status = 'confirmed';
    this.inflowKindBefore = inflow.kind;
    this.outflowKindBefore = outflow.kind;
    inflow.kind = INFLOW_KIND;
    outflow.kind = outflowKind(destination);
  }

  /** Gives both sides the kinds they had before confirmation. */
  restoreKinds({ inflow, outflow }: Omit<TransferSides, 'destination'>): void {
    if (this.inflowKindBefore) inflow.kind = this.inflowKindBefore;
    if (this.outflowKindBefore) outflow.kind = this.outflowKindBefore;
  }
}
TransferSchema.setClass(Transfer);
