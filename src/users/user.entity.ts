import { defineEntity, p } from '@mikro-orm/core';
import { id, timestamps } from '#src/kernel/columns.ts';
import { AppError } from '#src/kernel/errors.ts';
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
    /** What an identity provider's custom mappings have filled in: `locale`, `profile.…`. */
    profile: p.json<Record<string, string>>().onCreate(() => ({})),
    ...timestamps,
  },
});

export class User extends UserSchema.class {
  isSuspended(): boolean {
    return this.suspendedAt != null;
  }

  isActiveSuperAdmin(): boolean {
    return this.role === 'super_admin' && !this.isSuspended();
  }

  suspend(at: Date): void {
    if (this.isSuspended()) throw new AppError('conflict', `${this.email} is already suspended`);
    this.suspendedAt = at;
  }

  reactivate(): void {
    if (!this.isSuspended()) throw new AppError('conflict', `${this.email} is not suspended`);
    this.suspendedAt = null;
  }
}
UserSchema.setClass(User);
