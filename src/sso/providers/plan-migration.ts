import type { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { describeChanges } from '#src/sso/providers/describe-changes.ts';
import type { Fields, Problem } from '#src/sso/providers/field-reader.ts';
import type { FileEntry } from '#src/sso/providers/file/provider-file.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import { StoredProvider } from '#src/sso/providers/provider.entity.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { changedFields, fieldsOf } from '#src/sso/providers/provider-fields.ts';
import { findOutdated } from '#src/sso/providers/provider-problems.ts';
import { openWhatOpens } from '#src/sso/providers/seal-provider.ts';

/** What migrating a file means for one provider. */
export interface MigrationStep {
  action: 'create' | 'update' | 'skip' | 'error' | 'delete';
  name: string;
  strategy: string;
  /** Names of the fields that are set or changed. */
  fields: string[];
  /** For people: the fields, with old and new values where they are no secrets; why nothing is done; what is wrong. */
  details: string[];
  /** As it will be, for creations and updates. */
  provider?: Provider | undefined;
  /** As it was, for updates. */
  before?: Provider | undefined;
  /** What is written: all fields of a creation, the fields of the file for an update. */
  changes: Fields;
}

export interface MigrationRequest {
  entries: readonly FileEntry[];
  /** Names of the only entries to look at; default all. */
  only?: readonly string[] | undefined;
  /** Deletes what the file does not have. */
  prune?: boolean | undefined;
  /** What a provider itself answered wrongly, by name of the entry. */
  refusals?: ReadonlyMap<string, string> | undefined;
}

/** One step for each entry, in the order of the file; it reads and writes nothing. */
export async function planMigration(
  work: Work,
  { entries, only, prune = false, refusals = new Map() }: MigrationRequest,
): Promise<MigrationStep[]> {
  const stored = await work.em.find(StoredProvider, {}, { orderBy: { name: 'asc' } });
  const chosen = entries.filter(({ name }) => only === undefined || only.includes(name));
  const steps = chosen.map((entry): MigrationStep => {
    const step = planEntry(work, entry, stored);
    const refusal = step.provider && refusals.get(entry.name);
    return refusal === undefined ? step : refuse(entry, [{ field: refusalField(step), message: refusal }]);
  });
  const left = prune
    ? stored.filter((row) => !entries.some((entry) => findStored(entry, stored) === row))
    : [];
  return [...steps, ...left.map(planDeletion)];
}

function refusalField({ strategy }: MigrationStep): string {
  if (strategy === 'saml') return 'metadata_url';
  return strategy === 'openid_connect' ? 'issuer' : 'strategy';
}

function planEntry(work: Work, entry: FileEntry, stored: readonly StoredProvider[]): MigrationStep {
  const { name, strategy, fields } = entry;
  if (entry.unused !== undefined) {
    return { action: 'skip', name, strategy, fields: [], details: [entry.unused], changes: {} };
  }
  const row = findStored(entry, stored);
  const { fields: before, lost } = row ? openWhatOpens(work.cipher, row) : NOTHING;
  const merged: Fields = { ...before, ...fields, ...(row && fields.id === undefined && { id: row.id }) };
  const { provider, problems = [] } = parseProvider(merged);
  // A secret that nobody can read any more counts as the one that replaces it.
  const old = before && parseProvider({ ...before, ...pick(fields, lost) }).provider;
  const all = [
    ...entry.problems,
    ...lostSecrets(entry, lost),
    ...findConflicts(entry, row, stored),
    ...missingSecrets(entry, before),
    ...problems,
  ];
  if (!provider || all.length > 0) return refuse(entry, onePerField(all));

  const outdated = findOutdated(provider, work.now()).filter(
    ({ field }) => old === undefined || field in fields,
  );
  if (outdated.length > 0) return refuse(entry, outdated);
  if (!old) {
    const names = Object.keys(fields).filter((field) => field !== 'name' && field !== 'strategy');
    return { action: 'create', name, strategy, fields: names, details: names, provider, changes: fields };
  }
  return planUpdate(entry, { old, provider, lost: [...lost.keys()] });
}

function planUpdate(
  { name, strategy, fields }: FileEntry,
  { old: before, provider, lost }: { old: Provider; provider: Provider; lost: string[] },
): MigrationStep {
  const changed = [...new Set([...changedFields(fieldsOf(before), fieldsOf(provider)), ...lost])];
  const step = { name, strategy, fields: changed, before, provider, changes: fields };
  if (changed.length === 0) return { ...step, action: 'skip', details: ['no changes'] };
  return { ...step, action: 'update', details: describeChanges(before, provider, changed) };
}

function planDeletion({ name, strategy }: StoredProvider): MigrationStep {
  return { action: 'delete', name, strategy, fields: [], details: ['not in the file'], changes: {} };
}

/** By id; an entry that has none is known by its name. */
function findStored(
  { fields, name }: FileEntry,
  stored: readonly StoredProvider[],
): StoredProvider | undefined {
  const byId = stored.find(({ id }) => id === (fields.id ?? name));
  return fields.id === undefined ? (stored.find((row) => row.name === name) ?? byId) : byId;
}

function findConflicts(
  { fields, name }: FileEntry,
  row: StoredProvider | undefined,
  stored: readonly StoredProvider[],
): Problem[] {
  const namesake = stored.find((other) => other.name === name && other !== row);
  return [
    ...(namesake
      ? [
          {
            field: 'name',
            message: `belongs to the provider with the id ${namesake.id}, which cannot be changed`,
          },
        ]
      : []),
    ...(row && fields.strategy !== undefined && fields.strategy !== row.strategy
      ? [{ field: 'strategy', message: `cannot be changed; it is ${row.strategy}` }]
      : []),
  ];
}

const NOTHING = { fields: undefined, lost: new Map<string, AppError>() };

type Lost = ReadonlyMap<string, AppError>;

function pick(fields: Fields, lost: Lost): Fields {
  return Object.fromEntries([...lost.keys()].map((field) => [field, fields[field]]));
}

/** What cannot be decrypted can only be replaced; the other entries of the file do not suffer from it. */
function lostSecrets({ fields }: FileEntry, lost: Lost): Problem[] {
  return [...lost]
    .filter(([field]) => fields[field] === undefined)
    .map(([field, { message }]) => ({
      field,
      message: `${message}; give it a value in the file, or set the key it was encrypted with`,
    }));
}

/** A stored secret stands in for one that the file has no value for. */
function missingSecrets(entry: FileEntry, before: Fields | undefined): Problem[] {
  return entry.missingSecrets.filter(({ field }) => before?.[field] === undefined);
}

function refuse(entry: FileEntry, problems: readonly Problem[]): MigrationStep {
  const { name, strategy } = entry;
  const fields = [...new Set(problems.map(({ field }) => field))];
  return { action: 'error', name, strategy, fields, details: problems.map(entry.locate), changes: {} };
}

/** The first thing said about a field is the reason for the others. */
function onePerField(problems: readonly Problem[]): Problem[] {
  return problems.filter(
    ({ field }, index) => problems.findIndex((other) => other.field === field) === index,
  );
}
