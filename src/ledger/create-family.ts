import { requireText } from '#src/kernel/text.ts';
import type { Work } from '#src/kernel/work.ts';
import { Family } from '#src/ledger/family.entity.ts';
import { requireCurrency } from '#src/ledger/money.ts';

export interface NewFamily {
  name: string;
  /** ISO 4217, in either case. */
  currency: string;
  demo?: boolean;
}

export async function createFamily(work: Work, { name, currency, demo = false }: NewFamily): Promise<Family> {
  const family = work.em.create(Family, {
    name: requireText('the family name', name, 200),
    currency: requireCurrency(currency),
    demo,
  });
  await work.em.flush();
  return family;
}
