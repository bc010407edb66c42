import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { chooseFormat } from '#src/sso/saml/name-id-format.ts';

/** What metadata decides of a provider; by its address it is read anew, by a file or paste once and for all. */
export const METADATA_FIELDS = [
  'entity_id',
  'sso_url',
  'sso_binding',
  'certificate',
  'logout_url',
  'logout_binding',
  'logout_response_url',
  'name_id_format',
];

/** The fields of a provider (as `parseProvider` reads them) that metadata from a file or paste decides. */
export function samlFieldsFrom(metadata: IdpMetadata): Record<string, unknown> {
  const fields = {
    entity_id: metadata.entityId,
    sso_url: metadata.ssoUrl,
    sso_binding: metadata.ssoBinding,
    certificate: metadata.certificates.join(''),
    logout_url: metadata.logoutUrl,
    logout_binding: metadata.logoutBinding,
    logout_response_url: metadata.logoutResponseUrl,
    name_id_format: chooseFormat(metadata.nameIdFormats),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
