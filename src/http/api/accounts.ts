import { presentPagination, readPageRequest } from '#src/http/api/pagination.ts';
import type { Context } from '#src/http/state.ts';
import type { Reader } from '#src/kernel/reader.ts';
import { presentAccount } from '#src/ledger/present-account.ts';
import { readAccount, readAccounts } from '#src/ledger/read-accounts.ts';

export async function accountsIndex(reader: Reader, { query }: Context) {
  const page = await readAccounts(reader, readPageRequest(query));
  return { accounts: page.items.map(presentAccount), pagination: presentPagination(page) };
}

export async function accountShow(reader: Reader, _ctx: Context, id: string) {
  return presentAccount(await readAccount(reader, id));
}
