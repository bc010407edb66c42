import { tokenDigest } from '#src/kernel/token.ts';
import type { Work } from '#src/kernel/work.ts';

/** Whose new password a link is for, without using it up; undefined when it was used, replaced or has expired. */
export async function lookUpPasswordReset(
  work: Work,
  { token }: { token: string },
): Promise<{ email: string } | undefined> {
  const digest = tokenDigest(token);
  if (!digest) return undefined;
  const [reset] = await work.sql<{ email: string }>(
    `select u.email from password_resets r join users u on u.id = r.user_id
     where r.digest = $1 and r.expires_at > now()`,
    [digest],
  );
  return reset;
}
