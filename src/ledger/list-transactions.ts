import { offsetOf, type Page, type PageRequest, type PageRow, toPage } from '#src/kernel/page.ts';
import type { Reader, ReadQuery } from '#src/kernel/reader.ts';
import {
  TRANSACTION_COLUMNS,
  TRANSACTION_JOINS,
  type TransactionRow,
  toTransaction,
} from '#src/ledger/transaction-row.ts';
import type { TransactionView } from '#src/ledger/views.ts';

export interface TransactionFilter {
  accountId?: string | undefined;
  /** Inclusive, `YYYY-MM-DD`. */
  startDate?: string | undefined;
  endDate?: string | undefined;
  /** Somewhere in the name or the notes, in either case. */
  search?: string | undefined;
}

/** Latest date first, then the newest id. A page past the end is empty. */
export async function listTransactions(
  reader: Reader,
  { accountId, startDate, endDate, search }: TransactionFilter,
  request: PageRequest,
): Promise<Page<TransactionView>> {
  const pattern = search === undefined ? undefined : `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const query = queryFor({ account: accountId, from: startDate, to: endDate, search: pattern });
  const filters = [accountId, startDate, endDate, pattern].filter((value) => value !== undefined);
  const values = [request.perPage, offsetOf(request), ...filters];
  return toPage(await reader.read<TransactionRow & PageRow>(query, values), request, toTransaction);
}

const FILTERS = ['account', 'from', 'to', 'search'] as const;
type FilterName = (typeof FILTERS)[number];

const CONDITIONS: Record<FilterName, (parameter: string) => string> = {
  account: (parameter) => `e.account_id = ${parameter}`,
  from: (parameter) => `e.date >= ${parameter}::date`,
  to: (parameter) => `e.date <= ${parameter}::date`,
  search: (parameter) => `(e.name ilike ${parameter} or e.notes ilike ${parameter})`,
};

const queries = new Map<string, ReadQuery>();

function queryFor(values: Record<FilterName, string | undefined>): ReadQuery {
  const used = FILTERS.filter((filter) => values[filter] !== undefined);
  const name = ['transactions', ...used].join('_');
  const known = queries.get(name);
  if (known) return known;

  const condition = used.map((filter, index) => ` and ${CONDITIONS[filter](`$${index + 4}`)}`).join('');
  const query = {
    name,
    text: `, n as materialized (
  select count(*) as total from k join entries e on e.family_id = k.family_id${condition}
)
select k.key_id, k.scope, n.total, ${TRANSACTION_COLUMNS}
from k cross join n
  left join lateral (
    select * from entries e where e.family_id = k.family_id${condition}
    order by e.date desc, e.id desc limit $2 offset $3
  ) e on true
  left join lateral (
    select * from transactions where family_id = e.family_id and entry_id = e.id limit 1
  ) t on true
  ${TRANSACTION_JOINS}
order by e.date desc, e.id desc`,
  };
  queries.set(name, query);
  return query;
}
