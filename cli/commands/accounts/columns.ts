import type { Column } from '#cli/render.ts';
import { iso } from '#cli/times.ts';
import type { Account } from '#src/ledger/account.entity.ts';

export const ACCOUNT_COLUMNS: Column<Account>[] = [
  { key: 'name', value: ({ name }) => name },
  { key: 'account_type', header: 'TYPE', value: ({ accountType }) => accountType },
  { key: 'currency', value: ({ currency }) => currency },
  { key: 'status', value: ({ status }) => status, kept: true },
  { key: 'created_at', value: ({ createdAt }) => iso(createdAt), detail: true },
  { key: 'updated_at', value: ({ updatedAt }) => iso(updatedAt), detail: true },
  { key: 'id', value: ({ id }) => id, whole: true },
];
