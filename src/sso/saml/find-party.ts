import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { chooseService } from '#src/sso/saml/metadata/choose-service.ts';
import type { MetadataTarget } from '#src/sso/saml/metadata/metadata-cache.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { nameIdFormatOf } from '#src/sso/saml/name-id-format.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

type Access = Pick<ProviderAccess, 'metadata'>;

/** The provider as it is at this moment. Throws `LoginRefused` when neither settings nor metadata say enough. */
export async function findParty(provider: SamlProvider, { metadata }: Access): Promise<SamlParty> {
  const target = targetOf(provider);
  if (!target) return partyOf(provider);
  try {
    return partyOf(provider, await metadata.find(target));
  } catch (error) {
    // Settings that say everything do not depend on metadata.
    if (error instanceof LoginRefused && saysEnough(provider)) return partyOf(provider);
    throw error;
  }
}

/**
 * For an answer signed by none of the party's keys: the provider with the keys it publishes now. Undefined when there
 * are no others, or it was asked within the last minute.
 */
export async function refreshParty(
  provider: SamlProvider,
  { metadata }: Access,
  party: SamlParty,
): Promise<SamlParty | undefined> {
  const target = targetOf(provider);
  if (!target || provider.certificates.length > 0) return undefined;
  const newer = await metadata.findNewer(target, party.certificates);
  return newer && partyOf(provider, newer);
}

/** Settings over metadata; an address and its binding come from the same side. */
export function partyOf(provider: SamlProvider, metadata?: IdpMetadata): SamlParty {
  const entityId = provider.entityId ?? metadata?.entityId;
  const sso =
    configured(provider.ssoUrl, provider.ssoBinding) ??
    chooseService(metadata?.services.sso ?? {}, provider.ssoBinding);
  const certificates = provider.certificates.length > 0 ? provider.certificates : metadata?.certificates;
  if (entityId === undefined || !sso || !certificates) {
    throw new LoginRefused('provider_misconfigured', 'metadata');
  }
  const logout =
    configured(provider.logoutUrl, provider.logoutBinding) ??
    chooseService(metadata?.services.logout ?? {}, provider.logoutBinding);
  return {
    entityId,
    ssoUrl: sso.url,
    ssoBinding: sso.binding,
    nameIdFormat: nameIdFormatOf(provider, metadata),
    certificates,
    logoutUrl: logout?.url,
    logoutBinding: logout?.binding ?? 'redirect',
    logoutResponseUrl: provider.logoutResponseUrl ?? logout?.responseUrl,
  };
}

function configured(
  url: string | undefined,
  binding: SamlProvider['ssoBinding'] = 'redirect',
): ReturnType<typeof chooseService> {
  return url === undefined ? undefined : { url, binding };
}

/** Whether settings alone are enough for a sign-in. */
export function saysEnough({ entityId, ssoUrl, certificates }: SamlProvider): boolean {
  return entityId !== undefined && ssoUrl !== undefined && certificates.length > 0;
}

function targetOf({ id, metadataUrl, entityId }: SamlProvider): MetadataTarget | undefined {
  return metadataUrl === undefined ? undefined : { id, metadataUrl, entityId };
}
