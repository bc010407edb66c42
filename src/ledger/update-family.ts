import { requireText } from '#src/kernel/text.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Family } from '#src/ledger/family.entity.ts';
import { findFamily } from '#src/ledger/find-family.ts';
import { requireCurrency } from '#src/ledger/money.ts';

export interface FamilyChanges {
  /** Name or id; the only family when absent. */
  family: string | undefined;
  name?: string | undefined;
  currency?: string | undefined;
  transferMatching?: boolean | undefined;
}

export async function updateFamily(work: Work, changes: FamilyChanges): Promise<Family> {
  const family = await findFamily(work, changes.family);
  if (changes.name !== undefined) family.name = requireText('the family name', changes.name, 200);
  if (changes.currency !== undefined) family.currency = requireCurrency(changes.currency);
  if (changes.transferMatching !== undefined) family.transferMatching = changes.transferMatching;
  await work.em.flush();
  return family;
}
