import { checkProvider } from '#src/sso/checks/check-provider.ts';
import { refuseReport } from '#src/sso/checks/refuse-report.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ImportedMetadata } from '#src/sso/saml/metadata/import-metadata.ts';

/**
 * Asks a provider for its issuer or metadata before it is saved (decisions, section 3, Discovery); answers with the
 * metadata that was read. Throws `validation_failed`, or `service_unavailable` when it does not answer.
 */
export async function verifyProvider(
  provider: Provider,
  access: ProviderAccess,
): Promise<ImportedMetadata | undefined> {
  if (provider.strategy === 'openid_connect') {
    const refusal = refuseReport(await checkProvider(provider, access));
    if (refusal) throw refusal;
  }
  if (provider.strategy !== 'saml' || provider.metadataUrl === undefined) return undefined;
  const { metadataUrl, entityId } = provider;
  // The parser is loaded by those alone who need it.
  const { importMetadataFrom } = await import('#src/sso/saml/metadata/import-metadata.ts');
  return await importMetadataFrom({ metadataUrl, entityId }, access);
}
