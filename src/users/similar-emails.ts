import { similarTo } from '#src/kernel/did-you-mean.ts';
import type { Work } from '#src/kernel/work.ts';

/** Letters that a slip adds or leaves out. */
const SLIP = 2;
const MOST = 5_000;

/** Emails of users that `reference` may be a slip of; without an @ it is compared with what stands before theirs. */
export async function similarEmails(work: Work, reference: string): Promise<string[]> {
  const word = reference.trim().toLowerCase();
  const rows = await work.sql<{ email: string; local: string }>(
    `select email, local from users, split_part(email, '@', 1) as local
     where abs(length(case when $2 then email else local end) - length($1)) <= $3 order by email limit $4`,
    [word, word.includes('@'), SLIP, MOST],
  );
  const key = ({ email, local }: { email: string; local: string }) => (word.includes('@') ? email : local);
  const similar = new Set(similarTo(word, rows.map(key)));
  return rows
    .filter((row) => similar.has(key(row)))
    .map(({ email }) => email)
    .slice(0, 3);
}
