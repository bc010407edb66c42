import type { Work } from '#src/kernel/work.ts';
import { Family } from '#src/ledger/family.entity.ts';

export async function listFamilies(work: Work): Promise<Family[]> {
  return work.em.find(Family, {}, { orderBy: { name: 'asc', id: 'asc' } });
}
