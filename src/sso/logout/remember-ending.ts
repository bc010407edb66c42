import { hash } from 'node:crypto';
import type { Work } from '#src/kernel/work.ts';

/** Sessions of a person that a provider has ended. */
export interface Ending {
  subject: string;
  /** Empty: all of theirs. */
  sids: readonly string[];
  /** ISO 8601. */
  issuedAt: string;
}

/** Longer than an assertion is accepted after it was made. */
const KEPT = `interval '7 minutes'`;

/** For assertions that were made before, and come after (SAML Core, section 3.7.3.2). */
export async function rememberEnding(
  work: Work,
  provider: string,
  { subject, sids, issuedAt }: Ending,
): Promise<void> {
  const marks = sids.length === 0 ? [markOf(subject)] : sids.map((sid) => markOf(subject, sid));
  await work.sql(
    `insert into used_assertions (provider, assertion_id, expires_at)
     select distinct $1, mark, $3::timestamptz + ${KEPT} from unnest($2::text[]) as mark
     on conflict (provider, assertion_id) do update
       set expires_at = greatest(used_assertions.expires_at, excluded.expires_at)`,
    [provider, marks, issuedAt],
  );
}

/** Whether the provider has ended the session that an assertion speaks of, after it made the assertion. */
export async function hasEnded(
  work: Work,
  provider: string,
  { subject, sid, issuedAt }: { subject: string; sid: string | undefined; issuedAt: string },
): Promise<boolean> {
  const ended = await work.sql(
    `select 1 as one from used_assertions
     where provider = $1 and assertion_id = any ($2::text[]) and expires_at > $3::timestamptz + ${KEPT}`,
    [provider, [markOf(subject), markOf(subject, sid)], issuedAt],
  );
  return ended.length > 0;
}

function markOf(subject: string, sid = ''): string {
  return `logout ${hash('sha256', JSON.stringify([subject, sid]))}`;
}
