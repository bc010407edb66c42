import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import { hasEndedBy, isShorter, pruneBefore } from '#src/audit/archive/retention/retention.ts';
import { readRetentionClock } from '#src/audit/archive/retention/retention-clock.ts';
import { readRetentionState } from '#src/audit/archive/retention/retention-state.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import type { Sql } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** Whether an archive is past its time: that of the tier it was made under, or of a present one where that is longer. */
export async function readPrunable(
  sql: Sql,
  { config, now }: Pick<Runtime, 'config' | 'now'>,
): Promise<(archive: Pick<ArchiveRecord, 'day' | 'tier'>) => boolean> {
  const clock = await readRetentionClock(sql, now());
  const present = [(await readRetentionState(sql)).tier, config.audit.retention];
  return ({ day, tier }) => hasEndedBy(day, pruneBefore(longest(tier, present), clock.now));
}

function longest(own: ArchiveRecord['tier'], others: (RetentionTier | undefined)[]): ArchiveRecord['tier'] {
  return others.reduce<ArchiveRecord['tier']>(
    (longest, tier) => (tier && tier !== 'standard' && isShorter(longest, tier) ? tier : longest),
    own,
  );
}
