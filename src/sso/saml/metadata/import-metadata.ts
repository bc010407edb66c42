import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { withDeadline } from '#src/sso/connectors/deadline.ts';
import { isOutage, LoginRefused } from '#src/sso/login-refused.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { fetchMetadata, type MetadataPlace } from '#src/sso/saml/metadata/fetch-metadata.ts';
import { keepMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { type IdpMetadata, parseIdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { samlFieldsFrom } from '#src/sso/saml/metadata/saml-fields-from.ts';

export interface ImportedMetadata {
  metadata: IdpMetadata;
  /**
   * Of the provider that it makes, as `parseProvider` reads them. Where the metadata has an address, that is kept in
   * place of what it says.
   */
  fields: Fields;
}

interface Import {
  /** Which identity provider is meant, where the document holds several. */
  entityId?: string | undefined;
  now: Date;
}

/** Metadata that somebody has as text. Throws `validation_failed`; nothing of the text is repeated. */
export function importMetadata(xml: string, { entityId, now }: Import): ImportedMetadata {
  try {
    const metadata = parseIdpMetadata(xml, { entityId, now });
    return { metadata, fields: samlFieldsFrom(metadata) };
  } catch (error) {
    throw refuseMetadata(error, 'metadata');
  }
}

/** Metadata that the provider publishes. Throws `validation_failed`, or `service_unavailable` when it does not answer. */
export async function importMetadataFrom(
  place: MetadataPlace,
  access: ProviderAccess,
): Promise<ImportedMetadata> {
  try {
    const { outbound, loginTimeout } = access;
    const now = () => access.now();
    const metadata = await withDeadline(loginTimeout, (signal) =>
      fetchMetadata(place, { outbound, signal, now }),
    );
    return { metadata, fields: fieldsOfPlace(place) };
  } catch (error) {
    throw refuseMetadata(error, 'metadata_url');
  }
}

function fieldsOfPlace({ metadataUrl, entityId }: MetadataPlace): Fields {
  return {
    metadata_url: metadataUrl,
    ...(entityId !== undefined && { entity_id: entityId }),
  };
}

/** For all processes, so that nobody has to ask for it again at once. */
export async function keepImported(
  work: Work,
  provider: Provider,
  { metadata }: ImportedMetadata,
): Promise<void> {
  if (provider.strategy !== 'saml' || provider.metadataUrl === undefined) return;
  const at = work.now();
  await keepMetadata(work, provider.id, {
    url: provider.metadataUrl,
    metadata,
    fetchedAt: at,
    checkedAt: at,
  });
}

/** A refusal of metadata as one of the field it came with; anything else as it is. */
function refuseMetadata(error: unknown, field: string): unknown {
  if (!(error instanceof LoginRefused)) return error;
  const { message, reason, detail } = error;
  const evidence = detail === undefined ? '' : ` (${detail})`;
  const text = `${field}: ${message.replace(/\.$/, '')}${evidence}`;
  return new AppError(isOutage(error) ? 'service_unavailable' : 'validation_failed', text, {
    errors: [text],
    hint: isOutage(error) ? undefined : HINTS[reason],
  });
}

const HINTS: Readonly<Record<string, string>> = {
  metadata_invalid:
    'It must be the SAML 2.0 metadata of the identity provider: an XML file, not the page one reads about it.',
  provider_failed: 'Check the path of the address: opened in a browser it must give the metadata itself.',
  metadata_entity_mismatch: 'Leave the entity id out, or give the one that the metadata names.',
};
