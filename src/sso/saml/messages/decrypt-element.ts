import { decryptXml, parseDomFromString, xpath } from '@node-saml/node-saml/lib/xml.js';
import { XMLSerializer } from '@xmldom/xmldom';
import { judgeEncrypted } from '#src/sso/saml/messages/judge-algorithms.ts';
import { readXml, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';
import { type StepOutcome, unmet } from '#src/sso/saml/messages/step-outcome.ts';
import { NAMESPACES } from '#src/sso/saml/urns.ts';

export type DomElement = ReturnType<typeof xpath.selectElements>[number];

export const UNDECIPHERABLE = unmet(
  'assertion_undecipherable',
  'It is encrypted for another key than the one here.',
  'key',
);

/** What the one element opens to; undefined when it does not, or there are several. */
export async function decryptElement(
  elements: DomElement[],
  key: string | undefined,
): Promise<string | undefined> {
  const [element] = elements;
  if (!element || elements.length > 1 || key === undefined) return undefined;
  try {
    return await decryptXml(new XMLSerializer().serializeToString(element), key);
  } catch {
    return undefined;
  }
}

/**
 * A NameID that is encrypted inside what is signed, as a child of the element `parent`. Throws `LoginRefused` when it
 * opens to something that is no XML.
 */
export async function openEncryptedId(
  encrypted: XmlElement,
  { signedXml, parent }: { signedXml: string; parent: 'Subject' | 'LogoutRequest' },
  key: string | undefined,
): Promise<XmlElement | StepOutcome> {
  const outcome = judgeEncrypted(encrypted, key);
  if (outcome.status === 'fail') return outcome;
  const path = `//*[local-name()='${parent}']/*[local-name()='EncryptedID' and namespace-uri()='${NAMESPACES.assertion}']`;
  const opened = await decryptElement(xpath.selectElements(await parseDomFromString(signedXml), path), key);
  return opened === undefined ? UNDECIPHERABLE : readXml(opened);
}
