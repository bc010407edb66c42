import { didYouMean } from '#src/kernel/did-you-mean.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { StoredProvider } from '#src/sso/providers/provider.entity.ts';

/** The provider in the database that has this name, or else this id. */
export async function findProvider(work: Work, reference: string): Promise<StoredProvider> {
  const found = await work.em.find(StoredProvider, { $or: [{ name: reference }, { id: reference }] });
  const provider = found.find(({ name }) => name === reference) ?? found[0];
  if (provider) return provider;
  const known = (await work.em.find(StoredProvider, {}, { orderBy: { name: 'asc' } })).map(
    ({ name }) => name,
  );
  throw new AppError('not_found', `No provider in the database is named "${reference}"`, {
    hint:
      didYouMean(reference, known) ??
      'It holds none yet; financectl providers migrate brings those of a file over.',
  });
}
