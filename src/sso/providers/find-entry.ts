import { didYouMean } from '#src/kernel/did-you-mean.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { ProviderEntry, ProviderSource } from '#src/sso/providers/provider-source.ts';

/** The provider of this name, or else of this id, wherever the source has it from. */
export async function findEntry(source: ProviderSource, reference: string): Promise<ProviderEntry> {
  const found = (await source.lookUpByName(reference)) ?? (await source.lookUpById(reference));
  if (found) return found;
  const known = (await source.list()).map(({ name }) => name);
  throw new AppError('not_found', `No provider is named "${reference}"`, {
    hint: didYouMean(reference, known) ?? 'There is none yet.',
  });
}
