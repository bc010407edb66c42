import type { Role } from '#src/users/role.ts';

/** A user as lists show it, with what it has. */
export interface UserRow {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  role: Role;
  familyId: string;
  familyName: string;
  suspendedAt: Date | null;
  createdAt: Date;
  hasPassword: boolean;
  /** Ids of the identity providers it is connected with. */
  identityProviders: string[];
  /** That are signed in. */
  sessions: number;
  /** That open the API. */
  apiKeys: number;
  /** As far back as the audit log goes. */
  lastSignInAt: Date | null;
}

/**
 * What is selected for each of the few users in `picked(id)`; `$1` is after how many idle minutes a session counts
 * no more, null for never.
 */
export const USER_ROW_COLUMNS = `u.id, u.email, u.first_name, u.last_name, u.role, u.family_id, f.name as family_name,
  u.suspended_at, u.created_at, u.password_digest is not null as has_password,
  (select coalesce(json_agg(distinct i.provider), '[]') from identities i where i.user_id = u.id) as identity_providers,
  (select count(*)::integer from sessions s where s.user_id = u.id and s.expires_at > now()
    and ($1::integer is null or s.last_seen_at > now() - make_interval(mins => $1))) as sessions,
  (select count(*)::integer from api_keys k where k.user_id = u.id and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())) as api_keys,
  (select max(e.created_at) from audit_events e
    where e.user_id = u.id and e.event_type = 'login') as last_sign_in_at
from picked join users u on u.id = picked.id join families f on f.id = u.family_id`;

/** A row as the database answers it. */
export interface StoredUserRow {
  id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  role: Role;
  family_id: string;
  family_name: string;
  suspended_at: string | null;
  created_at: string;
  has_password: boolean;
  identity_providers: string[];
  sessions: number;
  api_keys: number;
  last_sign_in_at: string | null;
}

export function toUserRow(row: StoredUserRow): UserRow {
  return {
    id: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
    familyId: row.family_id,
    familyName: row.family_name,
    suspendedAt: row.suspended_at === null ? null : new Date(row.suspended_at),
    createdAt: new Date(row.created_at),
    hasPassword: row.has_password,
    identityProviders: row.identity_providers,
    sessions: row.sessions,
    apiKeys: row.api_keys,
    lastSignInAt: row.last_sign_in_at === null ? null : new Date(row.last_sign_in_at),
  };
}
