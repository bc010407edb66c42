import { RETENTION_TIERS } from '#src/audit/archive/retention/retention.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

const RAISE = `insert into audit_retention as r (tier) values ($1)
on conflict (singleton) do update set tier = excluded.tier
where array_position($2::text[], r.tier) < array_position($2::text[], excluded.tier)`;

/**
 * Makes the tier the least that the database keeps to; a longer one stays. What a server says at its start then holds
 * for the first run of the archive too, even one without any settings.
 */
export async function raiseTier(db: Sql, tier: RetentionTier): Promise<void> {
  if (tier !== 'standard') await db.sql(RAISE, [tier, [...RETENTION_TIERS]]);
}
