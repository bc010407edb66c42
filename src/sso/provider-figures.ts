import { X509Certificate } from 'node:crypto';
import type { SamlProvider } from '#src/sso/provider.ts';
import type { ProviderSource } from '#src/sso/provider-source.ts';
import { type KnownMetadata, listKnownMetadata, type Sql } from '#src/sso/saml/known-metadata.ts';
import { partyInUse } from '#src/sso/saml/party-in-use.ts';

/** What is worth watching of a SAML provider; nobody is asked for it. */
export interface ProviderFigures {
  /** Its name. */
  provider: string;
  /** When the last certificate that may sign ends; undefined as long as no metadata has been fetched. */
  expiresAt: Date | undefined;
  /** Our certificates. */
  own: { use: 'signing' | 'encryption'; expiresAt: Date }[];
  /** Undefined without metadata. */
  fetchedAt: Date | undefined;
  /** Why metadata could not be fetched again. */
  problem: string | undefined;
}

/** Of every SAML provider that is configured and can work. */
export async function listProviderFigures(source: ProviderSource, database: Sql): Promise<ProviderFigures[]> {
  const providers = (await source.list()).flatMap(({ provider }) =>
    provider?.strategy === 'saml' ? [provider] : [],
  );
  if (providers.length === 0) return [];
  const known = await listKnownMetadata(database);
  return providers.map((provider) => figuresOf(provider, known.get(provider.id)));
}

function figuresOf(provider: SamlProvider, known: KnownMetadata | undefined): ProviderFigures {
  const { certificates, metadata } = partyInUse(provider, known);
  const { certificate, decryptionCertificate } = provider;
  return {
    provider: provider.name,
    expiresAt: certificates.map(endOf).toSorted((a, b) => b.getTime() - a.getTime())[0],
    own: [
      ...(certificate === undefined ? [] : [{ use: 'signing' as const, expiresAt: endOf(certificate) }]),
      ...(decryptionCertificate === undefined
        ? []
        : [{ use: 'encryption' as const, expiresAt: endOf(decryptionCertificate) }]),
    ],
    fetchedAt: metadata?.fetchedAt,
    problem: metadata?.problem,
  };
}

function endOf(certificate: string): Date {
  return new X509Certificate(certificate).validToDate;
}
