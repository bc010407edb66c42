import { inputsOf } from '#src/http/admin/sso-provider-inputs.ts';
import type { Fields } from '#src/http/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { isRecord, type Fields as ProviderFields } from '#src/sso/providers/field-reader.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { isSecretField } from '#src/sso/providers/provider-fields.ts';

/** The text area with everything of the role mapping but the groups. */
export const MORE_MAPPING = 'role_mapping_more';

const MORE_SHAPES = ['conditions', 'hierarchy', 'custom_mappings'];

export interface MappingRow {
  group: string;
  role: string;
  isRemoved: boolean;
}

/** The rows of the role mapping that name a group, in their order. */
export function mappingRows(values: Fields): MappingRow[] {
  const rows: MappingRow[] = [];
  for (let n = 0; values.has(`mapping_group_${n}`); n += 1) {
    const group = values.get(`mapping_group_${n}`) ?? '';
    const role = values.get(`mapping_role_${n}`) ?? '';
    if (group.trim() !== '') rows.push({ group, role, isRemoved: values.has(`mapping_remove_${n}`) });
  }
  return rows;
}

/** What the form shows of a provider's fields; never a secret. */
export function valuesOf(fields: ProviderFields): Fields {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(fields)) {
    if (isSecretField(name)) continue;
    if (typeof value === 'string' || typeof value === 'boolean') values.set(name, String(value));
  }
  const mapping = isRecord(fields.role_mapping) ? fields.role_mapping : {};
  const { mappings = [], ...more } = mapping;
  if (Array.isArray(mappings)) {
    for (const [n, { group, role }] of mappings.filter(isRecord).entries()) {
      values.set(`mapping_group_${n}`, String(group)).set(`mapping_role_${n}`, String(role));
    }
  }
  if (Object.keys(more).length > 0) values.set(MORE_MAPPING, JSON.stringify(more, null, 2));
  return values;
}

/**
 * What a form says about a provider of this kind, for the same parser as the command line and the file: only the fields
 * it asks for. Null is what somebody has emptied; an empty secret is no change.
 */
export function readProviderForm(
  values: Fields,
  strategy: Provider['strategy'],
): { fields: Record<string, unknown>; problems: Problem[] } {
  const fields: Record<string, unknown> = {};
  for (const { name, kind } of inputsOf(strategy)) {
    const value = values.get(name);
    if (kind === 'flag') fields[name] = value === 'true';
    else if (value !== undefined) fields[name] = value.trim() === '' ? null : value;
    if (fields[name] === null && isSecretField(name)) delete fields[name];
  }
  const { mapping, problems } = readMapping(values);
  fields.role_mapping = mapping;
  return { fields, problems };
}

function readMapping(values: Fields): { mapping: object | null; problems: Problem[] } {
  const mappings = mappingRows(values)
    .filter(({ isRemoved }) => !isRemoved)
    .map(({ group, role }) => ({ group, role }));
  const given = parseMore(values.get(MORE_MAPPING) ?? '');
  if (given === undefined) {
    const message = `Other rules: must be a JSON object with ${MORE_SHAPES.join(', ')}`;
    return { mapping: null, problems: [{ message, field: MORE_MAPPING }] };
  }
  const mapping = { ...(mappings.length > 0 && { mappings }), ...given };
  return { mapping: Object.keys(mapping).length > 0 ? mapping : null, problems: [] };
}

function parseMore(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return undefined;
    return Object.keys(value).every((key) => MORE_SHAPES.includes(key)) ? value : undefined;
  } catch {
    return undefined;
  }
}

const REFUSALS: readonly ErrorCode[] = ['validation_failed', 'service_unavailable'];

/** What a refusal of the fields is about, by us or by the provider, input by input. Anything else is thrown on. */
export function problemsOf(error: unknown, values: Fields, strategy: Provider['strategy']): Problem[] {
  if (!(error instanceof AppError) || !REFUSALS.includes(error.code)) throw error;
  return (error.errors ?? [error.message]).map((text) => {
    const [, field = '', message = text] = /^(\w+): (.*)$/s.exec(text) ?? [];
    if (field === 'role_mapping') return mappingProblem(message, values);
    const input = inputsOf(strategy).find(({ name }) => name === field);
    const label = input?.label.replace(/ \(.*\)$/, '') ?? (field === 'name' ? 'Name' : field);
    return { message: `${label}: ${message}`, field: input || field === 'name' ? field : undefined };
  });
}

/** The parser counts the rows that stay; the page counts all that name a group. */
function mappingProblem(message: string, values: Fields): Problem {
  const [, row, part = ''] = /^mappings\[(\d+)\]\.?(\w*)/.exec(message) ?? [];
  if (row === undefined) return { message: `Other rules: ${message}`, field: MORE_MAPPING };
  const kept = [...mappingRows(values).entries()].filter(([, { isRemoved }]) => !isRemoved);
  const shown = kept[Number(row)]?.[0] ?? 0;
  const field = `mapping_${part === 'role' ? 'role' : 'group'}_${shown}`;
  return { message: `Groups, row ${shown + 1}: ${message}`, field };
}
