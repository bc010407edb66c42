import type { SamlProvider } from '#src/sso/providers/provider.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { NAME_ID_FORMATS } from '#src/sso/saml/urns.ts';

/** The NameID format to ask for: the configured one, else the best that the metadata offers, else an email address. */
export function nameIdFormatOf(
  { nameIdFormat }: Pick<SamlProvider, 'nameIdFormat'>,
  metadata?: Pick<IdpMetadata, 'nameIdFormats'>,
): string {
  return nameIdFormat ?? chooseFormat(metadata?.nameIdFormats ?? []) ?? NAME_ID_FORMATS.emailAddress;
}

/** Of those offered; undefined when there is none of use. A transient name is another one at each sign-in. */
export function chooseFormat(formats: readonly string[]): string | undefined {
  const { emailAddress, persistent, unspecified } = NAME_ID_FORMATS;
  return [emailAddress, persistent, unspecified].find((format) => formats.includes(format));
}
