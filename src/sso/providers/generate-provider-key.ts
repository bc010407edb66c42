import { AppError, invalid } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { findProvider } from '#src/sso/providers/find-provider.ts';
import {
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

export interface KeyGeneration {
  /** Name or id. */
  provider: string;
  use: KeyUse;
  /** How long the certificate is good for. */
  days?: number | undefined;
  bits?: number | undefined;
  /** Whether a key that is there may go. */
  replace?: boolean | undefined;
  /** Of the entity id that the certificate names. */
  appUrl: string;
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

const FIELDS: Record<KeyUse, { key: string; certificate: string }> = {
  signing: { key: 'private_key', certificate: 'sp_certificate' },
  encryption: { key: 'decryption_key', certificate: 'decryption_certificate' },
};

/** Makes a key of ours for a SAML provider, with its certificate. Refuses to replace one unless told to. */
export async function generateProviderKey(work: Work, request: KeyGeneration): Promise<GeneratedKey> {
  const { use, days = TEN_YEARS, bits = BITS, replace = false, appUrl, policy } = request;
  requireSensible(days, bits);
  const stored = await findProvider(work, request.provider);
  requireRoom(stored, use, replace);

  const { id } = stored;
  const { entity_id: entityId } = samlUrls(id, appUrl);
  const { privateKey, certificate } = await makeCertificate({ entityId, use, from: work.now(), days, bits });
  const fields = FIELDS[use];
  const changes = { [fields.key]: privateKey, [fields.certificate]: certificate };
  const { provider } = await updateProvider(work, {
    provider: id,
    changes,
    version: stored.version,
    policy,
  });
  return { provider, certificate };
}

function requireSensible(days: number, bits: number): void {
  const problems: string[] = [];
  if (days < 1 || days > LONGEST_DAYS) problems.push(`days: must be from 1 to ${LONGEST_DAYS}`);
  if (bits < SHORTEST_KEY || bits > LONGEST_KEY || bits % 1_024 !== 0)
    problems.push(`bits: must be a multiple of 1024 from ${SHORTEST_KEY} to ${LONGEST_KEY}`);
  if (problems.length > 0) throw invalid(problems);
}

function requireRoom({ name, strategy, secrets }: StoredProvider, use: KeyUse, replace: boolean): void {
  if (strategy !== 'saml')
    throw new AppError('conflict', `${name} uses ${strategy}: only SAML providers have keys of ours`);
  if (replace || secrets[FIELDS[use].key] === undefined) return;
  throw new AppError('conflict', `${name} has a key for ${use} already`, {
    hint: 'What the identity provider knows of it ends when it is replaced (financectl: --replace).',
  });
}
