import { Import } from '#src/imports/import.entity.ts';
import type { Work } from '#src/kernel/work.ts';

/** Newest first, undone ones included. */
export async function listImports(work: Work, { familyId }: { familyId: string }): Promise<Import[]> {
  return work.em.find(Import, { familyId }, { orderBy: { createdAt: 'desc', id: 'desc' } });
}
