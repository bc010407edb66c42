import type { Work } from '#src/kernel/work.ts';

/** Removes the sample household with its people, keys and ledger; real families are left alone. */
export async function clearDemo(work: Work): Promise<{ families: number }> {
  const rows = await work.sql('delete from families where demo returning id');
  return { families: rows.length };
}
