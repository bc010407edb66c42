import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { findUser } from '#src/users/find-user.ts';
import { requireAnotherSuperAdmin } from '#src/users/require-super-admin.ts';
import type { User } from '#src/users/user.entity.ts';
import { withdrawInvitationsOf } from '#src/users/withdraw-invitations-of.ts';

/** What goes with a user, for the question before. */
export interface Departure {
  user: User;
  apiKeys: number;
  /** That are signed in. */
  sessions: number;
  familyName: string;
  /** The user is the family's last member, so its whole ledger goes too. */
  takesFamily: boolean;
  /** Entries in that ledger. */
  entries: number;
}

export interface Deletion {
  /** Email or id. */
  user: string;
  /** The user's email, typed by whoever means it; compared exactly. */
  confirmation: string;
}

/** What `deleteUser` would take along. Refuses what it would refuse whatever is typed. */
export async function previewDeletion(work: Work, { user: reference }: { user: string }): Promise<Departure> {
  const user = await findUser(work, reference);
  refuseSelf(work, user);
  const [facts] = await work.sql<
    Record<'keys' | 'sessions' | 'others' | 'entries', number> & { name: string }
  >(
    `select (select count(*)::integer from api_keys where user_id = $1) as keys,
       (select count(*)::integer from sessions where user_id = $1 and expires_at > now()) as sessions,
       (select count(*)::integer from users where family_id = $2 and id <> $1) as others,
       (select count(*)::integer from entries where family_id = $2) as entries,
       (select name from families where id = $2) as name`,
    [user.id, user.familyId],
  );
  const { keys = 0, sessions = 0, others = 0, entries = 0, name = '' } = facts ?? {};
  return { user, apiKeys: keys, sessions, familyName: name, takesFamily: others === 0, entries };
}

/**
 * Removes a user for good, with its keys, sessions and identities; the last member takes the family and its ledger along.
 * The identities are remembered, so that none makes itself an account again (decisions, section 3, Deleted user).
 */
export async function deleteUser(
  work: Work,
  { user: reference, confirmation }: Deletion,
): Promise<Departure> {
  const user = await findUser(work, reference);
  refuseSelf(work, user);
  if (confirmation.trim() !== user.email) {
    throw new AppError('forbidden', 'The text is not the email of the user; nothing was deleted');
  }
  await requireAnotherSuperAdmin(work, user);
  // Another member who is added or removed at this moment waits, so that "the last one" stays true.
  await work.sql('select 1 from families where id = $1 for update', [user.familyId]);
  const departure = await previewDeletion(work, { user: user.id });

  const { apiKeys, takesFamily, entries } = departure;
  recordAuditEvent(work, 'user_deleted', {
    userId: user.id,
    metadata: {
      role: user.role,
      family_id: user.familyId,
      api_keys: apiKeys,
      took_family: takesFamily,
      entries,
    },
  });
  await withdrawInvitationsOf(work, user.id);
  await work.em.flush();
  await blockIdentities(work, user);
  await work.sql(takesFamily ? 'delete from families where id = $1' : 'delete from users where id = $1', [
    takesFamily ? user.familyId : user.id,
  ]);
  return departure;
}

async function blockIdentities(work: Work, { id, email }: User): Promise<void> {
  await work.sql(
    `insert into blocked_identities (provider, subject, email, created_at)
     select provider, subject, coalesce(email, $2), $3 from identities where user_id = $1
     on conflict (provider, subject) do nothing`,
    [id, email, work.now()],
  );
}

function refuseSelf({ actor }: Work, user: User): void {
  if (actor.userId === user.id) throw new AppError('forbidden', 'Nobody can delete themselves');
}
