import { offsetOf, type Page, type PageRequest, type PageRow, toPage } from '#src/kernel/page.ts';
import type { Reader, ReadQuery } from '#src/kernel/reader.ts';
import { lookUp } from '#src/ledger/look-up.ts';
import { type PairRow, pairColumns, pairJoins, toPair } from '#src/ledger/pair-row.ts';
import type { RejectedTransferView } from '#src/ledger/views.ts';

export interface RejectedTransferFilter {
  /** One side is in this account. */
  accountId?: string | undefined;
  /** At least one side lies on or after this date… */
  startDate?: string | undefined;
  /** …and, the same side, on or before this one. `YYYY-MM-DD`. */
  endDate?: string | undefined;
}

/** Newest first. A page past the end is empty. Specification: GET /api/v1/rejected_transfers. */
export async function listRejectedTransfers(
  reader: Reader,
  { accountId, startDate, endDate }: RejectedTransferFilter,
  request: PageRequest,
): Promise<Page<RejectedTransferView>> {
  const query = queryFor(accountId !== undefined, startDate !== undefined, endDate !== undefined);
  const filters = [accountId, startDate, endDate].filter((value) => value !== undefined);
  const values = [request.perPage, offsetOf(request), ...filters];
  return toPage(await reader.read<PairRow & PageRow>(query, values), request, toPair);
}

const queries = new Map<string, ReadQuery>();

/** One constant text for each combination of filters: `$n is null or …` would spoil the plan of all of them. */
function queryFor(byAccount: boolean, fromDate: boolean, toDate: boolean): ReadQuery {
  const name = `rejected_transfers${byAccount ? '_account' : ''}${fromDate ? '_from' : ''}${toDate ? '_to' : ''}`;
  const known = queries.get(name);
  if (known) return known;

  let parameter = 3;
  const account = byAccount ? `$${++parameter}` : undefined;
  const from = fromDate ? `$${++parameter}::date` : undefined;
  const to = toDate ? `$${++parameter}::date` : undefined;

  const { total, page } = matches(account, dateCondition(from, to));
  const query = {
    name,
    text: `, t as materialized (${total})
select k.key_id, k.scope, t.total, ${pairColumns('p')}
from k cross join t left join lateral (
  select p.* from (${page}) found
  ${lookUp('join', 'rejected_transfers', 'p', 'k.family_id', 'found.id')}
) p on true
${pairJoins('p', 'left join')}
order by p.created_at desc, p.id desc`,
  };
  queries.set(name, query);
  return query;
}

function matches(account: string | undefined, dates: string): { total: string; page: string } {
  if (account === undefined) {
    return {
      // Unfiltered, the database keeps the total on the family's row.
      total: dates
        ? `select count(*) as total from k join rejected_transfers r on r.family_id = k.family_id${dates}`
        : 'select f.rejected_transfers_count as total from k join families f on f.id = k.family_id',
      page: newest(dates, '$2', '$3'),
    };
  }
  // No pair has both sides in one account, so the two index scans never meet.
  const side = (name: string) => ` and r.${name}_account_id = ${account}${dates}`;
  const count = (name: string) =>
    `(select count(*) from k join rejected_transfers r on r.family_id = k.family_id${side(name)})`;
  return {
    total: `select ${count('inflow')} + ${count('outflow')} as total`,
    page: `select u.id, u.created_at from (
      (${newest(side('inflow'), '$2::bigint + $3::bigint', '0')})
      union all
      (${newest(side('outflow'), '$2::bigint + $3::bigint', '0')})
    ) u order by u.created_at desc, u.id desc limit $2 offset $3`,
  };
}

function newest(condition: string, limit: string, offset: string): string {
  return `select r.id, r.created_at from rejected_transfers r where r.family_id = k.family_id${condition}
    order by r.created_at desc, r.id desc limit ${limit} offset ${offset}`;
}

function dateCondition(from: string | undefined, to: string | undefined): string {
  const within = (column: string) =>
    [from && `r.${column} >= ${from}`, to && `r.${column} <= ${to}`].filter(Boolean).join(' and ');
  if (from === undefined && to === undefined) return '';
  return ` and ((${within('inflow_date')}) or (${within('outflow_date')}))`;
}
