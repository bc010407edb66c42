import type { Sql } from '#src/kernel/sql-on.ts';
import { expiryOf, lastEnd } from '#src/sso/providers/describe-certificate.ts';
import type { KeyUse } from '#src/sso/providers/make-certificate.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import type { ProviderSource } from '#src/sso/providers/provider-source.ts';
import { type KnownMetadata, listKnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { ownCertificates } from '#src/sso/saml/own-certificates.ts';
import { partyInUse } from '#src/sso/saml/party-in-use.ts';

/** What is worth watching of a SAML provider; nobody is asked for it. */
export interface ProviderFigures {
  /** Its name. */
  provider: string;
  /** Until when its certificates serve; undefined as long as no metadata has been fetched. */
  expiresAt: Date | undefined;
  /** Our certificates. */
  own: { use: KeyUse; expiresAt: Date }[];
  /** Undefined without metadata. */
  fetchedAt: Date | undefined;
  /** Why metadata could not be fetched again. */
  problem: string | undefined;
}

/** Of every SAML provider that is configured and can work. */
export async function listProviderFigures(
  source: ProviderSource,
  database: Sql,
  now: Date,
): Promise<ProviderFigures[]> {
  const providers = (await source.list()).flatMap(({ provider }) =>
    provider?.strategy === 'saml' ? [provider] : [],
  );
  if (providers.length === 0) return [];
  const known = await listKnownMetadata(database);
  return providers.map((provider) => figuresOf(provider, known.get(provider.id), now));
}

function figuresOf(provider: SamlProvider, known: KnownMetadata | undefined, now: Date): ProviderFigures {
  const { certificates, metadata } = partyInUse(provider, known);
  return {
    provider: provider.name,
    expiresAt: lastEnd(certificates, now),
    own: ownCertificates(provider).map(({ use, pem }) => ({ use, expiresAt: expiryOf(pem) })),
    fetchedAt: metadata?.fetchedAt,
    problem: metadata?.problem,
  };
}
