import { LoginRefused } from '#src/sso/login-refused.ts';
import { isNamed, textOf, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';

/** The value of a NameID or EncryptedID (SAML Core, section 2.2) in a signed LogoutRequest. Throws `LoginRefused`. */
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

async function decipher(
  encrypted: XmlElement,
  signedXml: string,
  decryptionKey: string | undefined,
): Promise<XmlElement> {
  // The library is loaded by those alone who need it.
  const { openEncryptedId } = await import('#src/sso/saml/messages/decrypt-element.ts');
  const opened = await openEncryptedId(encrypted, { signedXml, parent: 'LogoutRequest' }, decryptionKey);
  if ('status' in opened) throw new LoginRefused('assertion_undecipherable', opened.detail);
  return opened;
}
