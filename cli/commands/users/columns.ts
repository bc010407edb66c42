import type { Column } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { User } from '#src/users/user.entity.ts';

export const USER_COLUMNS: Column<User>[] = [
  { key: 'email', value: ({ email }) => email },
  {
    key: 'name',
    value: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ') || null,
  },
  { key: 'first_name', value: ({ firstName }) => firstName, detail: true },
  { key: 'last_name', value: ({ lastName }) => lastName, detail: true },
  { key: 'role', value: ({ role }) => role },
  {
    key: 'suspended_at',
    header: 'SUSPENDED',
    value: ({ suspendedAt }) => iso(suspendedAt ?? null),
    text: ({ suspendedAt }) => shortTime(suspendedAt ?? null),
  },
  { key: 'family_id', value: ({ familyId }) => familyId, detail: true },
  {
    key: 'created_at',
    header: 'CREATED',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
  { key: 'id', value: ({ id }) => id, whole: true },
];
