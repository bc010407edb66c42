export interface SentAttribute {
  name: string;
  friendlyName?: string | undefined;
  nameFormat?: string | undefined;
  values: readonly string[];
}

/** Names with a text or several; or everything that an Attribute element can say. */
export type SentAttributes = Readonly<Record<string, string | readonly string[]>> | readonly SentAttribute[];

const URI = 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri';
const XMLSOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

export interface SentPerson {
  email: string;
  firstName: string;
  lastName: string;
  groups: readonly string[];
}

/** How providers usually name what they say of a person. */
export const ATTRIBUTE_STYLES = {
  friendly: ({ email, firstName, lastName, groups }) => [
    { name: 'email', values: [email] },
    { name: 'firstName', values: [firstName] },
    { name: 'lastName', values: [lastName] },
    { name: 'groups', values: groups },
  ],
  oid: ({ email, firstName, lastName, groups }) => [
    {
      name: 'urn:oid:0.9.2342.19200300.100.1.3',
      friendlyName: 'mail',
      nameFormat: URI,
      values: [email],
    },
    { name: 'urn:oid:2.5.4.42', friendlyName: 'givenName', nameFormat: URI, values: [firstName] },
    { name: 'urn:oid:2.5.4.4', friendlyName: 'sn', nameFormat: URI, values: [lastName] },
    {
      name: 'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
      friendlyName: 'isMemberOf',
      nameFormat: URI,
      values: groups,
    },
  ],
  microsoft: ({ email, firstName, lastName, groups }) => [
    { name: `${XMLSOAP}/emailaddress`, values: [email] },
    { name: `${XMLSOAP}/givenname`, values: [firstName] },
    { name: `${XMLSOAP}/surname`, values: [lastName] },
    { name: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups', values: groups },
  ],
  adfs: ({ email, firstName, lastName, groups }) => [
    { name: `${XMLSOAP}/emailaddress`, values: [email] },
    { name: `${XMLSOAP}/givenname`, values: [firstName] },
    { name: `${XMLSOAP}/surname`, values: [lastName] },
    { name: 'http://schemas.xmlsoap.org/claims/Group', values: groups },
  ],
} satisfies Record<string, (person: SentPerson) => SentAttribute[]>;

/** An AttributeStatement; nothing at all without attributes. */
export function attributeStatement(attributes: SentAttributes): string {
  const sent = listAttributes(attributes);
  if (sent.length === 0) return '';
  return `<saml:AttributeStatement>${sent.map(writeAttribute).join('')}</saml:AttributeStatement>`;
}

function listAttributes(attributes: SentAttributes): readonly SentAttribute[] {
  if (isList(attributes)) return attributes;
  return Object.entries(attributes).map(([name, value]) => ({
    name,
    values: typeof value === 'string' ? [value] : value,
  }));
}

const isList = (attributes: SentAttributes): attributes is readonly SentAttribute[] =>
  Array.isArray(attributes);

function writeAttribute({ name, friendlyName, nameFormat, values }: SentAttribute): string {
  const friendly = friendlyName === undefined ? '' : ` FriendlyName="${escapeXml(friendlyName)}"`;
  const format = nameFormat === undefined ? '' : ` NameFormat="${nameFormat}"`;
  const written = values.map((value) => `<saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue>`);
  return `<saml:Attribute${friendly} Name="${escapeXml(name)}"${format}>${written.join('')}</saml:Attribute>`;
}

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
