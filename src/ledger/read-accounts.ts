import { notFound } from '#src/kernel/errors.ts';
import { offsetOf, type Page, type PageRequest, type PageRow, toPage } from '#src/kernel/page.ts';
import type { Reader, ReadQuery } from '#src/kernel/reader.ts';
import { isUuid, NO_UUID } from '#src/kernel/uuid.ts';
import { type AccountView, toTimes } from '#src/ledger/views.ts';

interface AccountRow {
  id: string;
  name: string;
  account_type: string;
  status: string;
  currency: string;
  created_at: string;
  updated_at: string;
}

const COLUMNS = 'a.id, a.name, a.account_type, a.status, a.currency, a.created_at, a.updated_at';

const LIST: ReadQuery = {
  name: 'accounts',
  text: `, n as materialized (select count(*) as total from k join accounts a on a.family_id = k.family_id)
select k.key_id, k.scope, n.total, ${COLUMNS}
from k cross join n left join lateral (
  select * from accounts a where a.family_id = k.family_id order by a.name, a.id limit $2 offset $3
) a on true
order by a.name, a.id`,
};

const FIND: ReadQuery = {
  name: 'account',
  text: `select k.key_id, k.scope, ${COLUMNS}
from k left join accounts a on a.family_id = k.family_id and a.id = $2`,
};

/** By name. Accounts of every status. */
export async function readAccounts(reader: Reader, request: PageRequest): Promise<Page<AccountView>> {
  const values = [request.perPage, offsetOf(request)];
  return toPage(await reader.read<AccountRow & PageRow>(LIST, values), request, toAccount);
}

/** Throws `not_found` alike for an unknown, a malformed and another family's id. */
export async function readAccount(reader: Reader, id: string): Promise<AccountView> {
  const [row] = await reader.read<AccountRow>(FIND, [isUuid(id) ? id : NO_UUID]);
  if (row?.id == null) throw notFound('Account');
  return toAccount(row);
}

function toAccount(row: AccountRow): AccountView {
  return {
    id: row.id,
    name: row.name,
    accountType: row.account_type,
    status: row.status,
    currency: row.currency,
    ...toTimes(row),
  };
}
