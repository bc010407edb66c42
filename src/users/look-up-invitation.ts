import { tokenDigest } from '#src/kernel/token.ts';
import type { Work } from '#src/kernel/work.ts';

export interface PendingInvitation {
  email: string;
  familyName: string;
}

/** Whom a link invites, and into which family; undefined when it was used, withdrawn, replaced or has expired. */
export async function lookUpInvitation(
  work: Work,
  { token }: { token: string },
): Promise<PendingInvitation | undefined> {
  const digest = tokenDigest(token);
  if (!digest) return undefined;
  const [row] = await work.sql<{ email: string; family_name: string }>(
    `select i.email, f.name as family_name from invitations i join families f on f.id = i.family_id
     where i.digest = $1 and i.expires_at > now()`,
    [digest],
  );
  return row && { email: row.email, familyName: row.family_name };
}
