import { isShorter } from '#src/audit/archive/retention/retention.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

/** What the runs so far have kept to. */
export interface RetentionState {
  /** Undefined before the first run. */
  tier: RetentionTier | undefined;
  lastSuccessAt: Date | undefined;
}

const STATE = 'select tier, last_success_at::text from audit_retention';

const KEEP_TO = `insert into audit_retention (tier) values ($1)
on conflict (singleton) do update set tier = excluded.tier`;

export async function readRetentionState(db: Sql): Promise<RetentionState> {
  const [row] = await db.sql<{ tier: RetentionTier; last_success_at: string | null }>(STATE);
  return {
    tier: row?.tier,
    lastSuccessAt: row?.last_success_at ? new Date(row.last_success_at) : undefined,
  };
}

/** Throws `conflict` for a tier that ends sooner than the one before, unless somebody insists on it. */
export function requireTier(before: RetentionTier | undefined, tier: RetentionTier, shorten: boolean): void {
  if (shorten || before === undefined || !isShorter(tier, before)) return;
  throw new AppError(
    'conflict',
    `the audit log has been kept to ${before}, and AUDIT_RETENTION says ${tier}: events would go that have been kept`,
    {
      hint: 'Set AUDIT_RETENTION where this runs (cron has no environment of its own), or insist with --shorten.',
    },
  );
}

/** From now on the database lets events go by this tier. Throws as `requireTier` does. */
export async function keepToTier(
  db: Sql,
  tier: RetentionTier,
  { shorten = false }: { shorten?: boolean | undefined },
): Promise<void> {
  requireTier((await readRetentionState(db)).tier, tier, shorten);
  await db.sql(KEEP_TO, [tier]);
}
