import type { Ledger } from '#test/bench/fill-ledger.ts';

/** The paths that are asked for in turn, by the name of the operation. */
export type Operations = Record<string, string[]>;

const LIST = '/api/v1/rejected_transfers';

/** The ledger reaches from 2021-01-01 over 1,800 days. */
const QUARTERS = [2021, 2022, 2023, 2024].flatMap((year) => [
  `start_date=${year}-01-01&end_date=${year}-03-31`,
  `start_date=${year}-07-01&end_date=${year}-09-30`,
]);

export const BOTH_OPERATIONS = ['list', 'transaction'];
export const FILTERS = ['account', 'dates', 'account and dates', 'page 400'];

export function operationsOn({ accountIds, transactionIds }: Ledger): Operations {
  return {
    list: [LIST],
    transaction: transactionIds.map((id) => `/api/v1/transactions/${id}`),
    account: accountIds.map((id) => `${LIST}?account_id=${id}`),
    dates: QUARTERS.map((dates) => `${LIST}?${dates}`),
    'account and dates': accountIds.flatMap((id) =>
      QUARTERS.map((dates) => `${LIST}?account_id=${id}&${dates}`),
    ),
    'page 400': [`${LIST}?page=400`],
  };
}
