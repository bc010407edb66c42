import { type Command, Option } from 'commander';
import {
  FIELD_OPTIONS,
  refuseSecretValue,
  type SharedOptions,
} from '#cli/commands/providers/field-options.ts';
import { readFields } from '#cli/commands/providers/read-entries.ts';
import { readFieldFile } from '#cli/commands/providers/secret-file.ts';
import { readSecret } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';

/** What --file and the flags give, flags before the file; `mapping` is the role mapping that --map alone changes. */
export async function collectGiven(
  host: Host,
  command: Command,
  mapping?: unknown,
): Promise<Record<string, unknown>> {
  const shared: SharedOptions = command.opts();
  const written = shared.file === undefined ? {} : await readFields(host, shared.file);
  return {
    ...written,
    ...(await collectFields(host, command)),
    ...(await collectMapping(host, shared, written.role_mapping ?? mapping)),
  };
}

/** The fields that the flags of a command line give, files read. */
async function collectFields(host: Host, command: Command): Promise<Record<string, unknown>> {
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
  if (shared.clientSecretStdin)
    fields.client_secret = await readSecret(host, 'Client secret', '--client-secret-file');
  return fields;
}

/** The role mapping that the flags give; `--map` alone leaves the other parts of `present` as they are. */
async function collectMapping(
  host: Host,
  { map, mappingsFile }: SharedOptions,
  present: unknown = {},
): Promise<Fields> {
  if (mappingsFile === undefined && map === undefined) return {};
  const base =
    mappingsFile === undefined
      ? present
      : await parseMapping(await readFieldFile(host, mappingsFile, false), mappingsFile);
  if (map === undefined) return { role_mapping: base };
  return { role_mapping: { ...Object(base), mappings: map.map(([group, role]) => ({ group, role })) } };
}

/** JSON is YAML too. */
async function parseMapping(text: string, path: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch {
    // The message of the library repeats lines of the file.
    throw new UsageError(`${path} is neither valid YAML nor JSON`);
  }
}
