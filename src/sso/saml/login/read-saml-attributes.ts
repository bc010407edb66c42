import { childrenNamed, textOf, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';

/** By name: one text, or several. */
export type SamlAttributes = Record<string, string | string[]>;

/**
 * What all AttributeStatements say. An attribute that is sent twice has the values of both; empty values are none.
 * `FriendlyName` is for people to read and names nothing (SAML Core, section 2.7.3.1).
 */
export function readSamlAttributes(assertion: XmlElement): SamlAttributes {
  const values = new Map<string, string[]>();
  const sent = childrenNamed(assertion, 'assertion', 'AttributeStatement').flatMap((statement) =>
    childrenNamed(statement, 'assertion', 'Attribute'),
  );
  for (const attribute of sent) {
    const name = attribute.attributes.get('Name');
    if (name === undefined) continue;
    const texts = childrenNamed(attribute, 'assertion', 'AttributeValue').flatMap(
      (each) => textOfValue(each) ?? [],
    );
    values.set(name, [...(values.get(name) ?? []), ...texts]);
  }
  return Object.fromEntries(
    [...values].map(([name, [first, ...more]]): [string, string | string[]] => [
      name,
      first === undefined ? [] : more.length === 0 ? first : [first, ...more],
    ]),
  );
}

/** A text; or that of a NameID, as `eduPersonTargetedID` has it. */
function textOfValue(value: XmlElement): string | undefined {
  const [nameId, ...others] = value.children;
  if (nameId && others.length === 0 && childrenNamed(value, 'assertion', 'NameID').length === 1) {
    return textOf(nameId);
  }
  return textOf(value);
}
