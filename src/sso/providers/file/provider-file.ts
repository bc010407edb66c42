import { isMap, isScalar, isSeq } from 'yaml';
import type { Variables } from '#src/kernel/variables.ts';
import type { Fields, Problem } from '#src/sso/providers/field-reader.ts';
import { inWordsOf, translateEntry } from '#src/sso/providers/file/translate-entry.ts';
import { type Resolved, YamlFile } from '#src/sso/providers/file/walk-yaml.ts';
import { isSecretField } from '#src/sso/providers/provider-fields.ts';

/** One provider of a file. */
export interface FileEntry {
  name: string;
  strategy: string;
  /** What `parseProvider` takes; fields without a value are left out. */
  fields: Fields;
  /** What is wrong with the entry as it is written, whatever its fields come to. */
  problems: Problem[];
  /** Secrets that refer to variables without a value; a stored one may stand in for them. */
  missingSecrets: Problem[];
  /** Whether a secret stands in the file itself. */
  holdsSecret: boolean;
  /** Why the entry counts as not there: variables that nobody has set. */
  unused?: string | undefined;
  /** `file:line: field: message`. */
  locate: (problem: Problem) => string;
}

/** Sections of a file with one for each environment, the first that is there. */
const SECTIONS = ['production', 'default'];

/** What an entry needs before it can be anything at all. */
const ESSENTIAL = [
  'issuer',
  'client_id',
  'client_secret',
  'sso_url',
  'entity_id',
  'certificate',
  'metadata_url',
];

/**
 * Reads `config/auth.yml` in our own shape or Sure's (decisions, section 3, YAML file). Throws `configuration_invalid`
 * with file and line when it is no such file; what is wrong with one entry stands with the entry.
 */
export function readProviderFile(text: string, label: string, variables: Variables): FileEntry[] {
  const file = new YamlFile(text, label, variables);
  const list = findProviders(file);
  const target = file.follow(list);
  if (target === undefined || (isScalar(target) && target.value === null)) return [];
  if (!isSeq(target)) throw file.refuse(file.lineOf(list), 'providers must be a list');
  const entries = target.items.map((item) => readEntry(file, item));
  refuseRepeated(entries);
  return entries;
}

/**
 * The one provider of a text: a mapping of its fields, or a file as above that has no other. Throws `configuration_invalid`
 * for anything else.
 */
export function readSingleProvider(text: string, label: string, variables: Variables): FileEntry {
  const file = new YamlFile(text, label, variables);
  if (isMap(file.root) && file.pairs(file.root).has('strategy')) return readEntry(file, file.root);
  const [entry, ...others] = readProviderFile(text, label, variables);
  if (entry && others.length === 0) return entry;
  throw file.refuse(
    1,
    entry ? 'has several providers; financectl providers migrate reads those' : 'has no provider',
  );
}

function findProviders(file: YamlFile): unknown {
  if (file.root === null) return undefined;
  if (!isMap(file.root)) throw file.refuse(1, 'must be a mapping with the key providers');
  const root = file.pairs(file.root);
  if (root.has('providers')) return root.get('providers');
  for (const section of SECTIONS) {
    const target = file.follow(root.get(section));
    const list = isMap(target) ? file.pairs(target).get('providers') : undefined;
    if (isSeq(file.follow(list))) return list;
  }
  return undefined;
}

function readEntry(file: YamlFile, item: unknown): FileEntry {
  const target = file.follow(item);
  if (!isMap(target)) throw file.refuse(file.lineOf(item), 'a provider must be a mapping');
  const { settings, ...own } = Object.fromEntries(file.pairs(target));
  const inner = file.follow(settings);
  const nodes = { ...(isMap(inner) && Object.fromEntries(file.pairs(inner))), ...own };
  const resolved = Object.entries(nodes).map(([name, node]): [string, Resolved] => [
    name,
    file.resolve(node),
  ]);
  return describeEntry(file, file.lineOf(item), translateEntry(new Map(resolved)));
}

function describeEntry(file: YamlFile, line: number, resolved: Map<string, Resolved>): FileEntry {
  const given = [...resolved].filter(([, { value }]) => value !== undefined && value !== '');
  const fields: Record<string, unknown> = Object.fromEntries(given.map(([name, { value }]) => [name, value]));
  fields.name ??= fields.id;

  const missing = [...resolved].flatMap(([field, each]) =>
    each.missing.map((reference) => ({ field, message: `${reference} is not set` })),
  );
  return {
    name: textOf(fields.name),
    strategy: textOf(fields.strategy),
    fields,
    problems: [
      ...[...resolved].flatMap(([field, { problems }]) => problems.map((message) => ({ field, message }))),
      ...missing.filter(({ field }) => !isSecretField(field)),
    ],
    missingSecrets: [...missing, ...emptySecrets(resolved)].filter(({ field }) => isSecretField(field)),
    holdsSecret: given.some(([field, { used }]) => isSecretField(field) && used.length === 0),
    unused: whyUnused(resolved),
    locate: (problem) => {
      const at = resolved.get(problem.field);
      const because = at && at.unset.length > 0 ? ` (${at.unset.join(', ')} is not set)` : '';
      return `${file.label}:${at?.line ?? line}: ${inWordsOf(resolved, problem)}${because}`;
    },
  };
}

/** What stands there, if it can be shown. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '?';
}

/** A secret that the entry names and nobody has set: without it the provider would be another one. */
function emptySecrets(resolved: ReadonlyMap<string, Resolved>): Problem[] {
  return [...resolved].flatMap(([field, { value, unset }]) =>
    value === '' && unset.length > 0 ? [{ field, message: 'must not be empty' }] : [],
  );
}

/** None of the variables it would be made of is set, and none has to be. */
function whyUnused(resolved: ReadonlyMap<string, Resolved>): string | undefined {
  const essential = ESSENTIAL.flatMap((name) => resolved.get(name) ?? []);
  const variables = essential.flatMap(({ value, unset }) => (value === '' ? unset : []));
  const isUnused = essential.every(({ used, missing }) => used.length === 0 && missing.length === 0);
  return isUnused && variables.length > 0 ? `not in use: set ${variables.join(', ')}` : undefined;
}

function refuseRepeated(entries: readonly FileEntry[]): void {
  const names = new Set<unknown>();
  const ids = new Set<unknown>();
  for (const { fields, problems } of entries) {
    const id = fields.id ?? fields.name;
    if (names.has(fields.name))
      problems.push({ field: 'name', message: 'is the name of an entry before it' });
    else if (ids.has(id)) problems.push({ field: 'id', message: 'is the id of an entry before it' });
    names.add(fields.name);
    ids.add(id);
  }
}
