import { type Command, Option } from 'commander';
import {
  FIELD_OPTIONS,
  refuseSecretValue,
  type SharedOptions,
} from '#cli/commands/providers/field-options.ts';
import { readFieldFile } from '#cli/commands/providers/secret-file.ts';
import { readSecret } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';

/** The fields that the flags of a command line give, files read. */
export async function collectFields(host: Host, command: Command): Promise<Record<string, unknown>> {
  const given: Record<string, unknown> = command.opts();
  const shared: SharedOptions = command.opts();
  refuseSecretValue(shared, given.clientSecretFile !== undefined);

  const fields: Record<string, unknown> = {};
  for (const { flags, field, isFile, isSecret } of FIELD_OPTIONS) {
    const value = given[new Option(flags).attributeName()];
    if (value === undefined) continue;
    fields[field] =
      isFile && typeof value === 'string' ? await readFieldFile(host, value, isSecret === true) : value;
  }
  if (shared.clientSecretStdin) fields.client_secret = await readSecret(host, 'Client secret');
  return fields;
}

/** The role mapping that the flags give; `--map` alone leaves the other parts of `present` as they are. */
export async function collectMapping(
  host: Host,
  { map, mappingsFile }: SharedOptions,
  present: unknown = {},
): Promise<Fields> {
  if (mappingsFile === undefined && map === undefined) return {};
  const base =
    mappingsFile === undefined
      ? present
      : parseJson(await readFieldFile(host, mappingsFile, false), mappingsFile);
  if (map === undefined) return { role_mapping: base };
  return { role_mapping: { ...Object(base), mappings: map.map(([group, role]) => ({ group, role })) } };
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not valid JSON`);
  }
}
