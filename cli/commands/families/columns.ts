import type { Column } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { Family } from '#src/ledger/family.entity.ts';

export const FAMILY_COLUMNS: Column<Family>[] = [
  { key: 'name', value: ({ name }) => name },
  { key: 'currency', value: ({ currency }) => currency },
  { key: 'transfer_matching', header: 'MATCHING', value: ({ transferMatching }) => transferMatching },
  { key: 'demo', value: ({ demo }) => demo },
  {
    key: 'created_at',
    header: 'CREATED',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
  { key: 'updated_at', value: ({ updatedAt }) => iso(updatedAt), detail: true },
  { key: 'id', value: ({ id }) => id, whole: true },
];
