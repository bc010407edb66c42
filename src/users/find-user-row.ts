import type { Work } from '#src/kernel/work.ts';
import { findUser } from '#src/users/find-user.ts';
import { type StoredUserRow, toUserRow, USER_ROW_COLUMNS, type UserRow } from '#src/users/user-row.ts';

export interface UserReference {
  /** Email or id. */
  user: string;
  /** A session counts no more after so many idle minutes. */
  idleMinutes?: number | undefined;
}

/** One user as lists show it. */
export async function findUserRow(
  work: Work,
  { user: reference, idleMinutes }: UserReference,
): Promise<UserRow> {
  const { id } = await findUser(work, reference);
  const [row] = await work.sql<StoredUserRow>(
    `with picked as (select $2::uuid as id) select ${USER_ROW_COLUMNS}`,
    [idleMinutes ?? null, id],
  );
  if (!row) throw new Error('a user that was just found is not there');
  return toUserRow(row);
}
