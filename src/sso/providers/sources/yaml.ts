import { readFileSync } from 'node:fs';
import type { SsoConfig } from '#src/kernel/config.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import { FieldReader } from '#src/sso/providers/field-reader.ts';
import { type FileEntry, readProviderFile } from '#src/sso/providers/file/provider-file.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import type { ProviderEntry, ProviderSource } from '#src/sso/providers/provider-source.ts';

/** Providers of the file, as it is now; later changes need a restart (specification, Authentication). */
export function yamlSource({ file, variables }: Pick<SsoConfig, 'file' | 'variables'>): ProviderSource {
  const entries = readProviderFile(readText(file), file, variables).map(toProviderEntry);
  return {
    list: async () => entries,
    lookUpByName: async (name) => entries.find((entry) => entry.name === name),
    lookUpById: async (id) => entries.find((entry) => entry.id === id),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError(
      'configuration_invalid',
      `The providers' file cannot be read (${errorCode(cause)}): ${file}`,
      {
        hint: 'Put it back, name another in AUTH_PROVIDERS_FILE, or set AUTH_PROVIDERS_SOURCE=db.',
        cause,
      },
    );
  }
}

function toProviderEntry(entry: FileEntry): ProviderEntry {
  const { fields, name, strategy } = entry;
  const { provider, problems = [] } = parseProvider(fields);
  const found = [...entry.problems, ...entry.missingSecrets];
  const named = new Set(found.map(({ field }) => field));
  const all = [...found, ...problems.filter(({ field }) => !named.has(field))].map((problem) =>
    entry.locate(problem),
  );
  return {
    id: typeof fields.id === 'string' ? fields.id : name,
    name,
    strategy,
    label: provider?.label ?? (typeof fields.label === 'string' ? fields.label : name),
    enabled: new FieldReader(fields).flag('enabled', true),
    origin: 'yaml',
    ...(all.length === 0 && provider ? { provider } : { problem: entry.unused ?? all.join('; ') }),
    ...(entry.unused !== undefined && { isUnused: true }),
  };
}
