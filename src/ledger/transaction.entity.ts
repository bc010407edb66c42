import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id, timestamps } from '#src/kernel/columns.ts';
import { TRANSACTION_KINDS, type TransactionKind } from '#src/ledger/transaction-kinds.ts';

const TransactionSchema = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  properties: {
    familyId,
    id,
    entryId: p.uuid(),
    kind: p.enum(TRANSACTION_KINDS).onCreate((): TransactionKind => 'standard'),
    categoryId: p.uuid().nullable(),
    merchantId: p.uuid().nullable(),
    ...timestamps,
  },
});

/** The detail of one entry: what kind of movement it is, its category, merchant and tags. */
export class Transaction extends TransactionSchema.class {}
TransactionSchema.setClass(Transaction);
