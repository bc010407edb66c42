import { date, readFilters, uuid } from '#src/http/api/filters.ts';
import { refuseFilters } from '#src/http/api/keyed.ts';
import { presentPagination, readPageRequest } from '#src/http/api/pagination.ts';
import type { Context } from '#src/http/state.ts';
import type { Reader } from '#src/kernel/reader.ts';
import { findRejectedTransfer } from '#src/ledger/find-rejected-transfer.ts';
import { listRejectedTransfers } from '#src/ledger/list-rejected-transfers.ts';
import { presentRejectedTransfer } from '#src/ledger/present-rejected-transfer.ts';

const FILTERS = { account_id: uuid, start_date: date, end_date: date };

export async function rejectedTransfersIndex(reader: Reader, { query }: Context) {
  const { values, problems } = readFilters(query, FILTERS);
  if (problems.length > 0) return refuseFilters(reader, problems);

  const page = await listRejectedTransfers(
    reader,
    { accountId: values.account_id, startDate: values.start_date, endDate: values.end_date },
    readPageRequest(query),
  );
  return {
    rejected_transfers: page.items.map(presentRejectedTransfer),
    pagination: presentPagination(page),
  };
}

export async function rejectedTransferShow(reader: Reader, _ctx: Context, id: string) {
  return presentRejectedTransfer(await findRejectedTransfer(reader, id));
}
