import type { FieldReader } from '#src/sso/providers/field-reader.ts';
import { NAME_ID_FORMATS } from '#src/sso/saml/urns.ts';

/** What a person may be known by, by the names that people write; stored as URNs. */
export const LASTING_FORMATS = {
  emailAddress: NAME_ID_FORMATS.emailAddress,
  persistent: NAME_ID_FORMATS.persistent,
  unspecified: NAME_ID_FORMATS.unspecified,
} as const;

const FIELD = 'name_id_format';

/** RFC 3986, section 3: a scheme, and no character but those of a URI. */
const URI = /^[a-z][a-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i;

/** The format as a URI, its short name translated. */
export function readNameIdFormat(reader: FieldReader): string | undefined {
  const given = reader.text(FIELD);
  if (given === undefined) return undefined;
  const [, format = given] = Object.entries(LASTING_FORMATS).find(([name]) => name === given) ?? [];
  if (given === 'transient' || format === NAME_ID_FORMATS.transient) {
    reader.report(FIELD, `must not be transient, another name at each sign-in: nobody can be known by it`);
  } else if (!URI.test(format)) {
    reader.report(FIELD, `must be ${Object.keys(LASTING_FORMATS).join(', ')}, or the URI of another format`);
  }
  return format;
}
