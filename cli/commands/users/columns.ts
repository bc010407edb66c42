import type { Column } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { User } from '#src/users/user.entity.ts';
import type { UserRow } from '#src/users/user-row.ts';

type Facts = Pick<User, 'id' | 'email' | 'firstName' | 'lastName' | 'role' | 'familyId' | 'createdAt'> & {
  suspendedAt?: Date | null | undefined;
};

const IDENTITY: Column<Facts>[] = [
  { key: 'email', value: ({ email }) => email },
  {
    key: 'name',
    value: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ') || null,
  },
  { key: 'first_name', value: ({ firstName }) => firstName, detail: true },
  { key: 'last_name', value: ({ lastName }) => lastName, detail: true },
  { key: 'role', value: ({ role }) => role, kept: true },
  {
    key: 'suspended_at',
    header: 'SUSPENDED',
    value: ({ suspendedAt }) => iso(suspendedAt ?? null),
    text: ({ suspendedAt }) => shortTime(suspendedAt ?? null),
  },
  { key: 'family_id', value: ({ familyId }) => familyId, detail: true },
];

const RECORD: Column<Facts>[] = [
  {
    key: 'created_at',
    header: 'CREATED',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
  { key: 'id', value: ({ id }) => id, whole: true },
];

/** What a command says about a user it has changed. */
export const USER_COLUMNS: Column<Facts>[] = [...IDENTITY, ...RECORD];

/** What lists say. */
export const USER_ROW_COLUMNS: Column<UserRow>[] = [
  ...IDENTITY,
  { key: 'family', value: ({ familyName }) => familyName },
  { key: 'has_password', header: 'PASSWORD', value: ({ hasPassword }) => hasPassword },
  { key: 'sessions', value: ({ sessions }) => sessions, align: 'right' },
  { key: 'api_keys', header: 'KEYS', value: ({ apiKeys }) => apiKeys, align: 'right' },
  {
    key: 'last_sign_in_at',
    header: 'LAST SIGN-IN',
    value: ({ lastSignInAt }) => iso(lastSignInAt),
    text: ({ lastSignInAt }) => shortTime(lastSignInAt, 'never'),
  },
  ...RECORD,
];
