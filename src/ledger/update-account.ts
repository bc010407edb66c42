import { requireOneOf, requireText } from '#src/kernel/text.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Account } from '#src/ledger/account.entity.ts';
import { ACCOUNT_TYPES } from '#src/ledger/account-types.ts';
import { refuseTakenName } from '#src/ledger/create-account.ts';
import { type AccountReference, findAccount } from '#src/ledger/find-account.ts';

export interface AccountChanges extends AccountReference {
  name?: string | undefined;
  accountType?: string | undefined;
  status?: 'active' | 'disabled' | 'pending_deletion' | undefined;
}

export async function updateAccount(work: Work, changes: AccountChanges): Promise<Account> {
  const account = await findAccount(work, changes);
  if (changes.name !== undefined) await rename(work, account, changes.name);
  if (changes.accountType !== undefined) {
    account.accountType = requireOneOf('the account type', changes.accountType, ACCOUNT_TYPES);
  }
  if (changes.status === 'active') account.activate();
  if (changes.status === 'disabled') account.disable();
  if (changes.status === 'pending_deletion') account.markForDeletion();
  await work.em.flush();
  return account;
}

async function rename(work: Work, account: Account, wanted: string): Promise<void> {
  const name = requireText('the account name', wanted, 200);
  if (name === account.name) return;
  await refuseTakenName(work, account.familyId, name);
  account.name = name;
}
