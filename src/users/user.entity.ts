import { defineEntity, p } from '@mikro-orm/core';
import { id, timestamps } from '#src/kernel/columns.ts';
import { ROLES } from '#src/users/role.ts';

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id,
    familyId: p.uuid(),
    /** Lower case. */
    email: p.text(),
    firstName: p.text().nullable(),
    lastName: p.text().nullable(),
    role: p.enum(ROLES),
    passwordDigest: p.text().nullable().lazy().hidden(),
    suspendedAt: p.datetime().nullable(),
    ...timestamps,
  },
});

export class User extends UserSchema.class {}
UserSchema.setClass(User);
