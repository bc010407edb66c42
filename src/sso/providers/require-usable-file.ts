import type { SsoConfig } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';
import { listUnusable, type ProviderEntry } from '#src/sso/providers/provider-source.ts';
import { yamlSource } from '#src/sso/providers/sources/yaml.ts';

/**
 * The providers of the file. Throws `configuration_invalid` with everything that keeps those that are wanted from
 * working, with file and line.
 */
export async function requireUsableFile(sso: SsoConfig): Promise<ProviderEntry[]> {
  const entries = await yamlSource(sso).list();
  const unusable = listUnusable(entries);
  if (unusable.length === 0) return entries;
  const errors = unusable.map(({ name, problem }) => `provider ${name} cannot work: ${problem}`);
  throw new AppError('configuration_invalid', errors.join('; '), {
    errors,
    hint: 'Correct the file, or set enabled: false there for a provider that is not to be used.',
  });
}
