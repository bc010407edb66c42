import { defineEntity, p } from '@mikro-orm/core';
import { id, timestamps } from '#src/kernel/columns.ts';

const FamilySchema = defineEntity({
  name: 'Family',
  tableName: 'families',
  properties: {
    id,
    name: p.text(),
    /** ISO 4217; the currency new accounts get when none is named. */
    currency: p.text(),
    /** Off: automatic matching leaves this family alone. */
    transferMatching: p.boolean().onCreate(() => true),
    /** Whoever founded it by signing in for the first time; they are at least its admin. */
    founderId: p.uuid().nullable(),
    demo: p.boolean().onCreate(() => false),
    ...timestamps,
  },
});

/** The people who share one ledger; nothing crosses its border. */
export class Family extends FamilySchema.class {}
FamilySchema.setClass(Family);
