import { startSession } from '#src/auth/start-session.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { createUser, type NewUser } from '#src/users/create-user.ts';
import type { Harness } from '#test/support/database.ts';

export const PASSWORD = 'correct horse battery';

export interface GivenUser {
  id: string;
  email: string;
  familyId: string;
}

/** A user in a family of its own, or in the one named by its id. */
export async function givenUser(
  harness: Harness,
  email: string,
  { family = 'Smith', ...facts }: Partial<NewUser> & { family?: string } = {},
): Promise<GivenUser> {
  return harness.perform(async (work) => {
    const familyId = facts.familyId ?? (await createFamily(work, { name: family, currency: 'USD' })).id;
    const { id } = await createUser(work, { ...facts, email, familyId });
    return { id, email, familyId };
  });
}

/** Signs somebody in; answers with the session's token. */
export async function givenSession(harness: Harness, userId: string): Promise<string> {
  return harness.perform((work) => startSession(work, { userId, lifetimeHours: 24 }));
}

export async function sessionsOf(harness: Harness, userId: string): Promise<string[]> {
  const rows = await harness.query<{ id: string }>(
    'select id from sessions where user_id = $1 order by created_at, id',
    [userId],
  );
  return rows.map(({ id }) => id);
}

/** The types of what was recorded about a user, oldest first, with the details. */
export async function recorded(harness: Harness, userId: string): Promise<[string, object][]> {
  const rows = await harness.query<{ event_type: string; metadata: object }>(
    'select event_type, metadata from audit_events where user_id = $1 order by created_at, id',
    [userId],
  );
  return rows.map(({ event_type, metadata }) => [event_type, metadata]);
}
