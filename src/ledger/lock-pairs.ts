import { notFound } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';

/**
 * Decisions about the pairs of one family are made one after the other, from here to the end of the unit of work:
 * each sees what the one before it decided, and none waits for another in the opposite order.
 */
export async function lockPairs(work: Work, familyId: string): Promise<void> {
  const locked = await work.sql('select 1 from families where id = $1 for no key update', [familyId]);
  if (locked.length === 0) throw notFound('Family');
}
