import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id } from '#src/kernel/columns.ts';

const ImportSchema = defineEntity({
  name: 'Import',
  tableName: 'imports',
  properties: {
    familyId,
    id,
    accountId: p.uuid(),
    fileName: p.text(),
    source: p.text(),
    importedCount: p.integer(),
    duplicateCount: p.integer(),
    rejectedCount: p.integer(),
    undoneAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** One statement file that came in, kept after it is undone. */
export class Import extends ImportSchema.class {}
ImportSchema.setClass(Import);
