import { didYouMean } from '#src/kernel/did-you-mean.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { Family } from '#src/ledger/family.entity.ts';

/** Families that are looked through for one that may have been meant. */
const MOST = 1_000;

/** The family of this id or name; without a reference the only one there is. */
export async function findFamily(work: Work, reference?: string): Promise<Family> {
  const matching = reference === undefined ? {} : isUuid(reference) ? { id: reference } : { name: reference };
  const families = await work.em.find(Family, matching, { limit: 2, orderBy: { name: 'asc' } });
  const [family, second] = families;
  if (!family) throw reference === undefined ? noFamily() : await unknownFamily(work, reference);
  if (second) throw ambiguous(reference);
  return family;
}

function noFamily(): AppError {
  return new AppError('not_found', 'There is no family yet', {
    hint: `Create one: financectl families create "Smith" --currency USD, or try the sample: financectl demo load`,
  });
}

async function unknownFamily(work: Work, reference: string): Promise<AppError> {
  const known = await work.em.find(Family, {}, { orderBy: { name: 'asc' }, limit: MOST });
  return new AppError('not_found', `No family has the name or id "${reference}"`, {
    hint: didYouMean(reference, [...new Set(known.map(({ name }) => name))]),
  });
}

function ambiguous(reference: string | undefined): AppError {
  const message =
    reference === undefined
      ? 'There is more than one family'
      : `More than one family is named "${reference}"`;
  return new AppError('validation_failed', message, {
    hint: 'Name one with --family and its id; financectl families list shows them all.',
  });
}
