import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id, timestamps } from '#src/kernel/columns.ts';

const RejectedTransferSchema = defineEntity({
  name: 'RejectedTransfer',
  tableName: 'rejected_transfers',
  properties: {
    familyId,
    id,
    inflowTransactionId: p.uuid(),
    outflowTransactionId: p.uuid(),
    ...timestamps,
  },
});

/** A pair that somebody said is no transfer; automatic matching never proposes it again. */
export class RejectedTransfer extends RejectedTransferSchema.class {}
RejectedTransferSchema.setClass(RejectedTransfer);
