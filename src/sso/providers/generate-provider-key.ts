import { AppError, invalid } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { findProvider } from '#src/sso/providers/find-provider.ts';
import {
  type KeyPair,
  type KeyUse,
  LONGEST_KEY,
  makeCertificate,
  SHORTEST_KEY,
} from '#src/sso/providers/make-certificate.ts';
import type { StoredProvider } from '#src/sso/providers/provider.entity.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { samlUrls } from '#src/sso/providers/provider-urls.ts';
import type { LocalLoginPolicy } from '#src/sso/providers/require-way-in.ts';
import { updateProvider } from '#src/sso/providers/update-provider.ts';

interface KeyWanted {
  use: KeyUse;
  /** How long the certificate is good for. */
  days?: number | undefined;
  bits?: number | undefined;
  /** Of the entity id that the certificate names. */
  appUrl: string;
}

export interface KeyGeneration extends KeyWanted {
  /** Name or id. */
  provider: string;
  /** Whether a key that is there may go. */
  replace?: boolean | undefined;
  policy: LocalLoginPolicy;
}

export interface GeneratedKey {
  provider: Provider;
  /** PEM, for the identity provider. The key itself is told to nobody. */
  certificate: string;
}

const TEN_YEARS = 3_650;
const LONGEST_DAYS = 36_500;
const BITS = 3_072;

/** The fields of a provider that a key goes to. */
export const KEY_FIELDS: Record<KeyUse, { key: string; certificate: string }> = {
  signing: { key: 'private_key', certificate: 'sp_certificate' },
  encryption: { key: 'decryption_key', certificate: 'decryption_certificate' },
};

/** Makes a key of ours for a SAML provider, with its certificate. Refuses to replace one unless told to. */
export async function generateProviderKey(work: Work, request: KeyGeneration): Promise<GeneratedKey> {
  const { use, replace = false, policy } = request;
  const stored = await findProvider(work, request.provider);
  requireSaml(stored);
  requireRoom(stored, use, replace);

  const { id } = stored;
  const { privateKey, certificate } = await makeProviderKey(id, request, work.now());
  const fields = KEY_FIELDS[use];
  const changes = { [fields.key]: privateKey, [fields.certificate]: certificate };
  const { provider } = await updateProvider(work, {
    provider: id,
    changes,
    version: stored.version,
    policy,
  });
  return { provider, certificate };
}

/** A key for the provider with this id, which is kept nowhere. Throws `validation_failed` for odd days or bits. */
export function makeProviderKey(
  id: string,
  { use, days = TEN_YEARS, bits = BITS, appUrl }: KeyWanted,
  now: Date,
): Promise<KeyPair> {
  requireSensible(days, bits);
  const { entity_id: entityId } = samlUrls(id, appUrl);
  return makeCertificate({ entityId, use, from: now, days, bits });
}

/** Throws `conflict` for a provider of another protocol. */
export function requireSaml({ name, strategy }: { name: string; strategy: string }): void {
  if (strategy === 'saml') return;
  throw new AppError('conflict', `${name} uses ${strategy}: only SAML providers have keys of ours`);
}

function requireSensible(days: number, bits: number): void {
  const problems: string[] = [];
  if (days < 1 || days > LONGEST_DAYS) problems.push(`days: must be from 1 to ${LONGEST_DAYS}`);
  if (bits < SHORTEST_KEY || bits > LONGEST_KEY || bits % 1_024 !== 0)
    problems.push(`bits: must be a multiple of 1024 from ${SHORTEST_KEY} to ${LONGEST_KEY}`);
  if (problems.length > 0) throw invalid(problems);
}

function requireRoom({ name, secrets }: StoredProvider, use: KeyUse, replace: boolean): void {
  if (replace || secrets[KEY_FIELDS[use].key] === undefined) return;
  throw new AppError('conflict', `${name} has a key for ${use} already`, {
    hint: 'What the identity provider knows of it ends when it is replaced (financectl: --replace).',
  });
}
