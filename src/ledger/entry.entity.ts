import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id } from '#src/kernel/columns.ts';

const EntrySchema = defineEntity({
  name: 'Entry',
  tableName: 'entries',
  properties: {
    familyId,
    id,
    accountId: p.uuid(),
    /** `YYYY-MM-DD`, as the bank wrote it. */
    date: p.date(),
    /** Minor units; positive when money leaves the account. */
    amountCents: p.bigint('number'),
    currency: p.text(),
    name: p.text(),
    notes: p.text().nullable(),
    /** Where the row came from: `csv`, `ofx`, `manual`… */
    source: p.text(),
    externalId: p.text().nullable(),
    /** Stands in for the external id in files that have none; see `stage-statement.ts`. */
    contentHash: p.text().nullable(),
    importId: p.uuid().nullable(),
  },
});

/** One line of an account. Its detail is the transaction. */
export class Entry extends EntrySchema.class {}
EntrySchema.setClass(Entry);
