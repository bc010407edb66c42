import type { Settings } from '#src/family-data/settings.ts';
import { invalid } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import type { Family } from '#src/ledger/family.entity.ts';
import { findFamily } from '#src/ledger/find-family.ts';

/** The family that data goes into. A new one has the currency of the data, or of its first account. */
export async function intoFamily(
  work: Work,
  into: { familyId: string } | { newFamily: string },
  settings: Settings | undefined,
): Promise<Family> {
  if ('familyId' in into) return findFamily(work, into.familyId);
  const currency = settings?.currency ?? (await firstCurrency(work));
  return createFamily(work, { name: into.newFamily, currency });
}

async function firstCurrency(work: Work): Promise<string> {
  const [account] = await work.sql<{ currency: string }>(
    'select currency from staged_accounts order by line limit 1',
  );
  if (account) return account.currency;
  throw invalid(
    ['the file has no account, so the currency of a new family is not known'],
    'Make the family with financectl families create, and name it with --family.',
  );
}

/** A family without any account takes over what the file says of it; any other stays as it is, and that is told. */
export async function takeSettings(
  work: Work,
  family: Family,
  settings: Settings | undefined,
): Promise<string[]> {
  if (!settings) return [];
  const { currency, transferMatching } = settings;
  if (currency === family.currency && transferMatching === family.transferMatching) return [];
  const accounts = await work.sql('select 1 from accounts where family_id = $1 limit 1', [family.id]);
  if (accounts.length > 0) return ['the family keeps its own currency and transfer matching'];
  family.currency = currency;
  family.transferMatching = transferMatching;
  await work.em.flush();
  return [];
}
