import { LoginRefused } from '#src/sso/login-refused.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { partyOf } from '#src/sso/saml/find-party.ts';
import type { KnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { nameIdFormatOf } from '#src/sso/saml/name-id-format.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';

/** As far as it is known without asking anybody. */
export interface PartyInUse extends Pick<SamlParty, 'certificates' | 'logoutUrl' | 'nameIdFormat'> {
  entityId: string | undefined;
  ssoUrl: string | undefined;
  /** Undefined where no metadata is read. */
  metadata: { fetchedAt: Date | undefined; problem: string | undefined } | undefined;
}

/** What the settings say and, of the rest, what the metadata said last. */
export function partyInUse(provider: SamlProvider, last: KnownMetadata | undefined): PartyInUse {
  const { entityId, ssoUrl, certificates, logoutUrl, metadataUrl } = provider;
  const known = last?.url === metadataUrl ? last : undefined;
  const nameIdFormat = nameIdFormatOf(provider, known?.metadata);
  const party = tryPartyOf(provider, known) ?? { entityId, ssoUrl, certificates, logoutUrl };
  return {
    entityId: party.entityId,
    ssoUrl: party.ssoUrl,
    certificates: party.certificates,
    logoutUrl: party.logoutUrl,
    nameIdFormat,
    metadata:
      metadataUrl === undefined ? undefined : { fetchedAt: known?.fetchedAt, problem: known?.problem },
  };
}

function tryPartyOf(provider: SamlProvider, known: KnownMetadata | undefined): SamlParty | undefined {
  try {
    return partyOf(provider, known?.metadata);
  } catch (error) {
    if (error instanceof LoginRefused) return undefined;
    throw error;
  }
}
