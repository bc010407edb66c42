import { LoginRefused } from '#src/sso/login-refused.ts';
import { judgeEncrypted } from '#src/sso/saml/judge-algorithms.ts';
import { isNamed, NAMESPACES, readXml, textOf, type XmlElement } from '#src/sso/saml/read-xml.ts';

/** The value of a NameID or EncryptedID (SAML Core, section 2.2) in signed text. Throws `LoginRefused`. */
export async function readNameId(
  person: XmlElement,
  signedXml: string,
  decryptionKey: string | undefined,
): Promise<string> {
  const isEncrypted = isNamed(person, 'assertion', 'EncryptedID');
  const nameId = isEncrypted ? await decipher(person, signedXml, decryptionKey) : person;
  const value = isNamed(nameId, 'assertion', 'NameID') ? textOf(nameId) : undefined;
  if (value === undefined) throw new LoginRefused('logout_message_invalid', 'name_id');
  return value;
}

const ENCRYPTED_ID = `/*/*[local-name()='EncryptedID' and namespace-uri()='${NAMESPACES.assertion}']`;

async function decipher(
  encrypted: XmlElement,
  signedXml: string,
  decryptionKey: string | undefined,
): Promise<XmlElement> {
  const { status, detail } = judgeEncrypted(encrypted, decryptionKey);
  if (status === 'fail' || decryptionKey === undefined)
    throw new LoginRefused('assertion_undecipherable', detail);
  const { decryptXml, parseDomFromString, xpath } = await import('@node-saml/node-saml/lib/xml.js');
  const { XMLSerializer } = await import('@xmldom/xmldom');
  const [element] = xpath.selectElements(await parseDomFromString(signedXml), ENCRYPTED_ID);
  const xml = element && new XMLSerializer().serializeToString(element);
  const opened = xml && (await decryptXml(xml, decryptionKey).catch(() => undefined));
  if (opened === undefined) throw new LoginRefused('assertion_undecipherable', 'key');
  return readXml(opened);
}
