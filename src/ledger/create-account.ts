import { invalid } from '#src/kernel/errors.ts';
import { requireOneOf, requireText } from '#src/kernel/text.ts';
import type { Work } from '#src/kernel/work.ts';
import { Account } from '#src/ledger/account.entity.ts';
import { ACCOUNT_TYPES } from '#src/ledger/account-types.ts';
import { Family } from '#src/ledger/family.entity.ts';
import { requireCurrency } from '#src/ledger/money.ts';

export interface NewAccount {
  familyId: string;
  /** Unique in the family. */
  name: string;
  accountType: string;
  /** Default: the family's. */
  currency?: string | undefined;
  status?: string | undefined;
}

export async function createAccount(work: Work, account: NewAccount): Promise<Account> {
  const name = requireText('the account name', account.name, 200);
  await refuseTakenName(work, account.familyId, name);
  const currency =
    account.currency ?? (await work.em.findOneOrFail(Family, { id: account.familyId })).currency;

  const created = work.em.create(Account, {
    familyId: account.familyId,
    name,
    accountType: requireOneOf('the account type', account.accountType, ACCOUNT_TYPES),
    currency: requireCurrency(currency),
    status: requireOneOf('the status', account.status ?? 'active', ['draft', 'active']),
  });
  await work.em.flush();
  return created;
}

export async function refuseTakenName(work: Work, familyId: string, name: string): Promise<void> {
  if ((await work.em.count(Account, { familyId, name })) === 0) return;
  throw invalid(
    [`the family already has an account named "${name}"`],
    'Choose another name, or rename the other account with financectl accounts update.',
  );
}
