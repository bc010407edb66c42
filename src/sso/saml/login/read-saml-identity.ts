import type { Identity, NameIdKind } from '#src/sso/connector.ts';
import { readNames } from '#src/sso/connectors/read-names.ts';
import { readEmail, requireStorable } from '#src/sso/connectors/storable.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { readGroups } from '#src/sso/roles/read-groups.ts';
import type { SamlAttributes } from '#src/sso/saml/login/read-saml-attributes.ts';
import { NAME_ID_FORMATS } from '#src/sso/saml/urns.ts';

const XMLSOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

/** What providers usually call what they say of a person; the first that is sent counts. */
const USUAL_NAMES = {
  email: [
    'email',
    'mail',
    'emailAddress',
    'email_address',
    'user.email',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
    'urn:mace:dir:attribute-def:mail',
    `${XMLSOAP}/emailaddress`,
    'http://schemas.xmlsoap.org/claims/EmailAddress',
  ],
  emailVerified: ['email_verified', 'emailVerified', 'http://schemas.auth0.com/email_verified'],
  firstName: [
    'firstName',
    'first_name',
    'givenName',
    'given_name',
    'user.firstName',
    'urn:oid:2.5.4.42',
    'urn:mace:dir:attribute-def:givenName',
    `${XMLSOAP}/givenname`,
  ],
  lastName: [
    'lastName',
    'last_name',
    'surname',
    'sn',
    'familyName',
    'family_name',
    'user.lastName',
    'urn:oid:2.5.4.4',
    'urn:mace:dir:attribute-def:sn',
    `${XMLSOAP}/surname`,
  ],
  name: [
    'displayName',
    'name',
    'cn',
    'urn:oid:2.16.840.1.113730.3.1.241',
    'urn:oid:2.5.4.3',
    'http://schemas.microsoft.com/identity/claims/displayname',
  ],
};

interface Statement {
  subject: string;
  nameId: NameIdKind;
  attributes: SamlAttributes;
}

/**
 * Who the NameID and the attributes speak of, by the configured names before the usual ones. The email is that of the
 * attributes, else the NameID when its format says that it is one. Throws `attributes_conflict` for two emails under one
 * name.
 */
export function readSamlIdentity(
  provider: Pick<SamlProvider, 'groupAttribute' | 'attributes'>,
  { subject, nameId, attributes: sent }: Statement,
): Omit<Identity, 'issuer'> {
  const attributes = requireStorable(sent);
  const configured: Partial<Record<keyof typeof USUAL_NAMES, string | undefined>> = provider.attributes;
  const find = (field: keyof typeof USUAL_NAMES) =>
    findValues(attributes, [configured[field] ?? [], USUAL_NAMES[field]].flat());
  const first = (field: keyof typeof USUAL_NAMES) => find(field)[0];
  const emails = new Set(find('email').map((email) => email.toLowerCase()));
  if (emails.size > 1) throw new LoginRefused('attributes_conflict', 'email');

  return {
    subject,
    email:
      readEmail(first('email')) ??
      (nameId.format === NAME_ID_FORMATS.emailAddress ? readEmail(subject) : null),
    emailVerified: readVerified(find('emailVerified')),
    ...readNames({ firstName: first('firstName'), lastName: first('lastName'), name: first('name') }),
    groups: readGroups([attributes], provider.groupAttribute),
    attributes,
  };
}

/** The values of the first name that has any. Names that differ in case alone are one name. */
function findValues(attributes: SamlAttributes, names: readonly string[]): string[] {
  const byName = Map.groupBy(Object.entries(attributes), ([name]) => name.toLowerCase());
  const found = names.map((name) => (byName.get(name.toLowerCase()) ?? []).flatMap(([, value]) => value));
  return found.find(({ length }) => length > 0) ?? [];
}

/** `xs:boolean` as text: whatever is not a yes is a no. */
function readVerified(values: string[]): boolean | null {
  if (values.length === 0) return null;
  return values.every((value) => ['true', '1'].includes(value.toLowerCase()));
}
