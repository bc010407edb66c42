import { defineEntity, p } from '@mikro-orm/core';
import { familyId, id, timestamps } from '#src/kernel/columns.ts';
import { AppError } from '#src/kernel/errors.ts';
import { ACCOUNT_STATUSES, ACCOUNT_TYPES, type AccountStatus } from '#src/ledger/account-types.ts';

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    familyId,
    id,
    name: p.text(),
    accountType: p.enum(ACCOUNT_TYPES),
    currency: p.text(),
    status: p.enum(ACCOUNT_STATUSES).onCreate((): AccountStatus => 'active'),
    ...timestamps,
  },
});

export class Account extends AccountSchema.class {
  activate(): void {
    this.move('active', ['draft', 'disabled']);
  }

  disable(): void {
    this.move('disabled', ['draft', 'active']);
  }

  markForDeletion(): void {
    this.move('pending_deletion', ['draft', 'active', 'disabled']);
  }

  // Not #move: MikroORM builds entities without running the constructor that private names need.
  private move(to: AccountStatus, from: readonly AccountStatus[]): void {
    if (!from.includes(this.status)) {
      throw new AppError('conflict', `${this.name} is ${this.status} and cannot become ${to}`, {
        hint: `Only accounts that are ${from.join(' or ')} can.`,
      });
    }
    this.status = to;
  }
}
AccountSchema.setClass(Account);
