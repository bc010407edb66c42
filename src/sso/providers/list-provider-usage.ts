import type { Work } from '#src/kernel/work.ts';

/** How much a provider is used. */
export interface ProviderUsage {
  /** Users who are connected with it. */
  users: number;
  /** Null: nobody has signed in yet. */
  lastLoginAt: Date | null;
}

/** By id of the provider; those that nobody uses are missing. */
export async function listProviderUsage(work: Work): Promise<Map<string, ProviderUsage>> {
  const rows = await work.sql<{ provider: string; users: number; last: string | null }>(
    `select provider, count(distinct user_id)::integer as users, max(last_used_at) as last
     from identities group by provider`,
  );
  return new Map(
    rows.map(({ provider, users, last }) => [
      provider,
      { users, lastLoginAt: last === null ? null : new Date(last) },
    ]),
  );
}
