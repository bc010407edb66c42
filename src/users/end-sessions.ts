import type { Work } from '#src/kernel/work.ts';

/**
 * Signs a user out everywhere, but for the session named; answers how many sessions that were. Call it after what
 * keeps new ones out has been flushed: a sign-in that is under way then waits for the user's row, and is found here.
 */
export async function endSessions(
  work: Work,
  userId: string,
  { exceptSessionId }: { exceptSessionId?: string | undefined } = {},
): Promise<number> {
  const ended = await work.sql(
    'delete from sessions where user_id = $1 and ($2::uuid is null or id <> $2) returning 1 as one',
    [userId, exceptSessionId ?? null],
  );
  return ended.length;
}
