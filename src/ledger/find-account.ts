import { didYouMean } from '#src/kernel/did-you-mean.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { Account } from '#src/ledger/account.entity.ts';
import { listAccounts } from '#src/ledger/list-accounts.ts';

export interface AccountReference {
  familyId: string;
  /** Name or id. */
  account: string;
}

export async function findAccount(work: Work, { familyId, account }: AccountReference): Promise<Account> {
  const found = await work.em.findOne(
    Account,
    isUuid(account) ? { familyId, id: account } : { familyId, name: account },
  );
  if (found) return found;

  const names = (await listAccounts(work, { familyId })).map(({ name }) => name);
  throw new AppError('not_found', `No account has the name or id "${account}"`, {
    hint: didYouMean(account, names) ?? 'Create one with financectl accounts create.',
  });
}
