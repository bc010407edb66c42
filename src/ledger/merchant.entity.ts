import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id, timestamps } from '#src/kernel/columns.ts';

const MerchantSchema = defineEntity({
  name: 'Merchant',
  tableName: 'merchants',
  properties: {
    familyId,
    id,
    name: p.text(),
    ...timestamps,
  },
});

export class Merchant extends MerchantSchema.class {}
MerchantSchema.setClass(Merchant);
