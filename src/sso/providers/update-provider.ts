import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';
import { findProvider } from '#src/sso/providers/find-provider.ts';
import { StoredProvider } from '#src/sso/providers/provider.entity.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { changedFields, fieldsOf, isSecretField } from '#src/sso/providers/provider-fields.ts';
import {
  refuseProvider,
  requireProvider,
  requireValidCertificates,
} from '#src/sso/providers/provider-problems.ts';
import { requireSameHome } from '#src/sso/providers/require-same-home.ts';
import { requireWayIn, type WayInPolicy } from '#src/sso/providers/require-way-in.ts';
import { openWhatOpens, sealProvider } from '#src/sso/providers/seal-provider.ts';

export interface ProviderUpdate {
  /** Name or id. */
  provider: string;
  /** What to change. Null takes a field away; an empty secret keeps the stored one, because it is never shown. */
  changes: Fields;
  /** The version these changes were made from; another one since then is a conflict. */
  version?: number | undefined;
  policy: WayInPolicy;
  /** Disables even what is somebody's only way in, and changes whom the subjects of linked users belong to. */
  force?: boolean | undefined;
}

export interface UpdatedProvider {
  before: Provider;
  provider: Provider;
  /** Names of the fields that are different now. */
  changed: string[];
}

/** What an update would come to; for whoever wants to ask the provider first. */
export async function previewUpdate(
  work: Work,
  update: Pick<ProviderUpdate, 'provider' | 'changes'>,
): Promise<UpdatedProvider> {
  return weigh(work, await findProvider(work, update.provider), update);
}

/** Takes effect at the next request of every process. Changes nothing and records nothing when all is as it was. */
export async function updateProvider(work: Work, update: ProviderUpdate): Promise<UpdatedProvider> {
  const { id } = await findProvider(work, update.provider);
  await work.sql('select 1 from sso_providers where id = $1 for update', [id]);
  const stored = await work.em.findOneOrFail(StoredProvider, { id }, { refresh: true });
  const updated = weigh(work, stored, update);
  const { provider, before, changed } = updated;
  if (changed.length === 0) return updated;
  await refuseTakenName(work, provider);
  const { policy, force = false } = update;
  if (before.enabled && !provider.enabled && !policy.fileEntries) {
    await requireWayIn(work, stored, policy, force);
  }
  await requireSameHome(work, updated, policy, force);

  const sealed = sealProvider(work.cipher, provider);
  // A secret that stays is not encrypted anew.
  const secrets = Object.entries(sealed.secrets).map(([field, value]) => [
    field,
    changed.includes(field) ? value : (stored.secrets[field] ?? value),
  ]);
  work.em.assign(stored, { ...sealed, secrets: Object.fromEntries(secrets) });
  record(work, provider, before, changed);
  await work.em.flush();
  return updated;
}

function weigh(
  work: Work,
  stored: StoredProvider,
  { changes, version }: Pick<ProviderUpdate, 'changes' | 'version'>,
): UpdatedProvider {
  if (version !== undefined && version !== stored.version) {
    throw new AppError('conflict', `${stored.name} has been changed by somebody else in the meantime`, {
      hint: 'Look at it again, then repeat the change.',
    });
  }
  const { fields, lost } = openWhatOpens(work.cipher, stored);
  const fixed = ['id', 'strategy'].filter(
    (field) => changes[field] != null && changes[field] !== fields[field],
  );
  if (fixed.length > 0) {
    throw refuseProvider(
      fixed.map((field) => ({ field, message: 'cannot be changed; create another provider' })),
    );
  }
  const given = withoutBlankSecrets(changes);
  requireReplacements(lost, given);
  // A secret that nobody can read any more counts as the one that replaces it.
  const replaced = Object.fromEntries([...lost.keys()].map((field) => [field, given[field]]));
  const before = requireProvider({ ...fields, ...replaced });
  const provider = requireProvider({ ...fields, ...given, id: stored.id });
  const changed = [...new Set([...changedFields(fieldsOf(before), fieldsOf(provider)), ...lost.keys()])];
  // What has expired since it was saved must not stand in the way of another change.
  requireValidCertificates(provider, work.now(), changed);
  return { before, provider, changed };
}

/** What cannot be decrypted stands in the way of everything but another value for it. */
function requireReplacements(lost: ReadonlyMap<string, AppError>, given: Fields): void {
  const problems = [...lost]
    .filter(([field]) => !(field in given))
    .map(([field, { message }]) => ({ field, message: `must be given anew. ${message}` }));
  if (problems.length === 0) return;
  throw refuseProvider(problems, {
    hint: 'Or set the key it was encrypted with (financectl keys check). It can be disabled as it is.',
  });
}

function withoutBlankSecrets(changes: Fields): Fields {
  return Object.fromEntries(Object.entries(changes).filter(([field, value]) => !isKept(field, value)));
}

function isKept(field: string, value: unknown): boolean {
  return value === undefined || (isSecretField(field) && typeof value === 'string' && value.trim() === '');
}

async function refuseTakenName(work: Work, { id, name }: Provider): Promise<void> {
  if ((await work.em.count(StoredProvider, { name, id: { $ne: id } })) === 0) return;
  throw refuseProvider([{ field: 'name', message: `there is already a provider ${name}` }]);
}

function record(work: Work, provider: Provider, before: Provider, changed: string[]): void {
  const others = changed.filter((field) => field !== 'enabled');
  const metadata = { provider_id: provider.id };
  if (others.length > 0) {
    recordAuditEvent(work, 'provider_updated', {
      provider: provider.name,
      metadata: { ...metadata, fields: others },
    });
  }
  if (provider.enabled !== before.enabled) {
    const event = provider.enabled ? 'provider_enabled' : 'provider_disabled';
    recordAuditEvent(work, event, { provider: provider.name, metadata });
  }
}
