import { RECORD_TYPES } from '#src/family-data/record-types.ts';
import { KEPT_MESSAGES, type StagedFile } from '#src/family-data/stage-records.ts';
import type { LineMessage } from '#src/imports/readers/statement.ts';
import type { Work } from '#src/kernel/work.ts';

/** What became of the records of one type. */
interface Fates {
  added: number;
  /** There already. */
  present: number;
  /** There already, and saying something else. */
  conflicts: number;
  rejected: number;
}

export interface Outcome {
  /** By type, in the order of the format. */
  records: Record<string, Fates>;
  conflictCount: number;
  rejectedCount: number;
  /** Why, for the first thousand conflicts and rejected records, by line. */
  messages: LineMessage[];
  /** Records of types that are not kept, by their type. */
  skipped: Record<string, number>;
}

const DECIDED = `(
  select 'Account' as type, line, fate, reason from staged_accounts
  union all select 'Category', line, fate, reason from staged_categories
  union all select 'Tag', line, fate, reason from staged_tags
  union all select 'Merchant', line, fate, reason from staged_merchants
  union all select 'Transaction', line, fate, reason from staged_transactions
  union all select case when status = 'rejected' then 'RejectedTransfer' else 'Transfer' end, line, fate, reason
    from staged_pairs
)`;

/** Sums up the staged tables, once everything is decided. */
export async function readOutcome(work: Work, staged: StagedFile): Promise<Outcome> {
  const decided = await work.sql<Fates & { type: string }>(
    `select type, count(*) filter (where fate = 'added')::integer as added,
       count(*) filter (where fate = 'present')::integer as present,
       count(*) filter (where fate = 'conflict')::integer as conflicts,
       count(*) filter (where fate = 'rejected')::integer as rejected
     from ${DECIDED} d group by type`,
  );
  const told = await work.sql<LineMessage>(
    `select line, type || ': ' || reason as message from ${DECIDED} d
     where fate in ('conflict', 'rejected') order by line limit $1`,
    [KEPT_MESSAGES],
  );
  const byType = new Map(decided.map(({ type, ...fates }) => [type, fates]));
  const records = RECORD_TYPES.flatMap((type) => {
    const fates = byType.get(type) ?? { added: 0, present: 0, conflicts: 0, rejected: 0 };
    const rejected = fates.rejected + (staged.unreadable.get(type) ?? 0);
    return byType.has(type) || rejected > 0 ? [[type, { ...fates, rejected }] as const] : [];
  });
  const sum = (of: 'conflicts' | 'rejected') => records.reduce((total, [, fates]) => total + fates[of], 0);
  return {
    records: Object.fromEntries(records),
    conflictCount: sum('conflicts'),
    rejectedCount: sum('rejected'),
    messages: [...staged.problems, ...told].sort((a, b) => a.line - b.line).slice(0, KEPT_MESSAGES),
    skipped: Object.fromEntries(staged.skipped),
  };
}
