import type { IdpMetadata } from '#src/sso/saml/parse-idp-metadata.ts';

const EMAIL_ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

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

/** Undefined for what is asked for anyway. A transient name is another one at each sign-in: nobody can be known by it. */
function chooseFormat(formats: readonly string[]): string | undefined {
  if (formats.length === 0 || formats.includes(EMAIL_ADDRESS)) return undefined;
  return [PERSISTENT, UNSPECIFIED].find((format) => formats.includes(format));
}
