import { p } from '@mikro-orm/core';
import { newId } from '#src/kernel/new-id.ts';

/** Primary keys are made by the application, in order of creation. */
export const id = p
  .uuid()
  .primary()
  .onCreate(() => newId());

/** The first half of the primary key of everything a family owns: tables can be distributed by it. */
export const familyId = p.uuid().primary();

export const timestamps = {
  createdAt: p.datetime().onCreate(() => new Date()),
  updatedAt: p
    .datetime()
    .onCreate(() => new Date())
    .onUpdate(() => new Date()),
};
