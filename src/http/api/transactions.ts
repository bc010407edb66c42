import { date, readFilters, search, uuid } from '#src/http/api/filters.ts';
import { refuseFilters } from '#src/http/api/keyed.ts';
import { presentPagination, readPageRequest } from '#src/http/api/pagination.ts';
import type { Context } from '#src/http/state.ts';
import type { Reader } from '#src/kernel/reader.ts';
import { findTransaction } from '#src/ledger/find-transaction.ts';
import { listTransactions } from '#src/ledger/list-transactions.ts';
import { presentTransaction } from '#src/ledger/present-transaction.ts';

const FILTERS = { account_id: uuid, start_date: date, end_date: date, search };

export async function transactionsIndex(reader: Reader, { query }: Context) {
  const { values, problems } = readFilters(query, FILTERS);
  if (problems.length > 0) return refuseFilters(reader, problems);

  const page = await listTransactions(
    reader,
    {
      accountId: values.account_id,
      startDate: values.start_date,
      endDate: values.end_date,
      search: values.search,
    },
    readPageRequest(query),
  );
  return { transactions: page.items.map(presentTransaction), pagination: presentPagination(page) };
}

export async function transactionShow(reader: Reader, _ctx: Context, id: string) {
  return presentTransaction(await findTransaction(reader, id));
}
