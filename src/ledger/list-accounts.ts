import type { Work } from '#src/kernel/work.ts';
import { Account } from '#src/ledger/account.entity.ts';

/** By name, whatever their status. */
export async function listAccounts(work: Work, { familyId }: { familyId: string }): Promise<Account[]> {
  return work.em.find(Account, { familyId }, { orderBy: { name: 'asc', id: 'asc' } });
}
