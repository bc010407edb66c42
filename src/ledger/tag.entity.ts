import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id, timestamps } from '#src/kernel/columns.ts';

const TagSchema = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: {
    familyId,
    id,
    name: p.text(),
    color: p.text(),
    ...timestamps,
  },
});

export class Tag extends TagSchema.class {}
TagSchema.setClass(Tag);
