import { offsetOf, type Page, type PageRequest, type PageRow, toPage } from '#src/kernel/page.ts';
import { requireOneOf, requireText } from '#src/kernel/text.ts';
import type { Work } from '#src/kernel/work.ts';
import { ROLES } from '#src/users/role.ts';
import { type StoredUserRow, toUserRow, USER_ROW_COLUMNS, type UserRow } from '#src/users/user-row.ts';

export const USER_STATUSES = ['active', 'suspended'] as const;

/** How somebody can sign in. */
export const SIGN_IN_METHODS = ['password', 'none'] as const;

/** Empty texts are no filter. */
export interface UserFilter {
  /** Somewhere in the email or the name, in either case. */
  search?: string | undefined;
  role?: string | undefined;
  status?: string | undefined;
  familyId?: string | undefined;
  method?: string | undefined;
  /** Id of an identity provider that the user is connected with. */
  identityProvider?: string | undefined;
  /** A session counts no more after so many idle minutes. */
  idleMinutes?: number | undefined;
}

/** `strpos` knows no wildcards, so what is searched for needs no escaping. */
const LIST = `with matching as (
  select u.id, u.email from users u
  where ($2::text is null or strpos(u.email, lower($2)) > 0
      or strpos(lower(concat_ws(' ', u.first_name, u.last_name)), lower($2)) > 0)
    and ($3::text is null or u.role = $3)
    and ($4::boolean is null or (u.suspended_at is not null) = $4)
    and ($5::uuid is null or u.family_id = $5)
    and ($6::text is null or case $6 when 'password' then u.password_digest is not null
      else u.password_digest is null and not exists (select 1 from identities i where i.user_id = u.id) end)
    and ($9::text is null or exists (
      select 1 from identities i where i.user_id = u.id and i.provider = $9))
), n as (select count(*) as total from matching
), picked as (select id, email from matching order by email limit $7 offset $8)
select n.total, rows.* from n left join (select ${USER_ROW_COLUMNS}) rows on true order by rows.email`;

type Row = PageRow & Omit<StoredUserRow, 'id'>;

/** By email. Throws `validation_failed` when a filter is none. */
export async function listUsers(work: Work, request: UserFilter & PageRequest): Promise<Page<UserRow>> {
  const { search, role, status, familyId, method, identityProvider, idleMinutes, page, perPage } = request;
  const state = choice('the status', status, USER_STATUSES);
  const way = choice('the sign-in method', method, SIGN_IN_METHODS);
  const rows = await work.sql<Row>(LIST, [
    idleMinutes ?? null,
    search?.trim() ? requireText('the search', search, 200) : null,
    choice('the role', role, ROLES),
    state && state === 'suspended',
    familyId || null,
    way,
    perPage,
    offsetOf({ page, perPage }),
    identityProvider ?? null,
  ]);
  return toPage(rows, { page, perPage }, (row) => toUserRow({ ...row, id: row.id ?? '' }));
}

function choice<const Choice extends string>(
  what: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | null {
  return value ? requireOneOf(what, value, choices) : null;
}
