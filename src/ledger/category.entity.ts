import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id, timestamps } from '#src/kernel/columns.ts';

const CategorySchema = defineEntity({
  name: 'Category',
  tableName: 'categories',
  properties: {
    familyId,
    id,
    name: p.text(),
    color: p.text(),
    icon: p.text(),
    ...timestamps,
  },
});

export class Category extends CategorySchema.class {}
CategorySchema.setClass(Category);
