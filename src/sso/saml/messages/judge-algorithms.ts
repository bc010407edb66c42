import { CIPHERS, DIGESTS, KEY_TRANSPORTS, SHA1, SIGNATURES } from '#src/sso/saml/messages/algorithms.ts';
import {
  childrenNamed,
  descendantsNamed,
  isNamed,
  type XmlElement,
} from '#src/sso/saml/messages/read-xml.ts';
import { met, quote, type StepOutcome, unmet } from '#src/sso/saml/messages/step-outcome.ts';

/** All signatures in a message, whichever counts in the end; wherever in them a library may look. */
export function judgeSignatureAlgorithms(root: XmlElement, allowSha1: boolean): StepOutcome {
  const signatures = descendantsNamed(root, 'signature', 'Signature');
  const used = (name: string) =>
    signatures.flatMap((each) => descendantsNamed(each, 'signature', name)).map(algorithmOf);
  const allowed = {
    SignatureMethod: [...Object.keys(SIGNATURES), ...(allowSha1 ? [SHA1.signature] : [])],
    DigestMethod: [...DIGESTS, ...(allowSha1 ? [SHA1.digest] : [])],
  };
  const refused = [
    ...used('SignatureMethod').filter((each) => !allowed.SignatureMethod.includes(each)),
    ...used('DigestMethod').filter((each) => !allowed.DigestMethod.includes(each)),
  ];
  if (refused.length === 0) {
    const names = [...new Set(used('SignatureMethod'))].map(shorten).join(', ');
    return met(names === '' ? 'No signature is in the open.' : `It is signed with ${names}.`);
  }
  const isSha1 = refused.some((each) => Object.values(SHA1).includes(each));
  return unmet(
    'algorithm_refused',
    `It is signed with ${quote(refused.map(shorten).join(', '))}, which is not accepted here. Let the identity provider use rsa-sha256${isSha1 ? ', or allow SHA-1 for it here' : ''}.`,
    isSha1 ? 'SHA-1' : 'signature',
  );
}

/** `EncryptedAssertion` or `EncryptedID`, in one of the two ways that are safe: AES-GCM, its key by RSA-OAEP. */
export function judgeEncrypted(encrypted: XmlElement, decryptionKey: string | undefined): StepOutcome {
  if (decryptionKey === undefined) {
    return unmet(
      'assertion_undecipherable',
      'It is encrypted, but there is no decryption key here. Make one for encryption, or let the identity provider not encrypt.',
      'no key',
    );
  }
  const data = descendantsNamed(encrypted, 'encryption', 'EncryptedData');
  const keys = descendantsNamed(encrypted, 'encryption', 'EncryptedKey');
  const methods = [...data, ...keys].flatMap((each) => childrenNamed(each, 'encryption', 'EncryptionMethod'));
  const isPlain = data.length === 1 && keys.length === 1 && methods.length === 2 && !hasStranger(encrypted);
  if (!isPlain) {
    return unmet('assertion_undecipherable', 'It is not encrypted once, for one recipient.', 'structure');
  }
  const [cipher = '', transport = ''] = methods.map(algorithmOf);
  const refused = [
    ...(CIPHERS.includes(cipher) ? [] : [cipher]),
    ...(KEY_TRANSPORTS.includes(transport) ? [] : [transport]),
  ];
  if (refused.length === 0) return met(`It is encrypted with ${shorten(cipher)} and ${shorten(transport)}.`);
  return unmet(
    'encryption_refused',
    `It is encrypted with ${quote(refused.map(shorten).join(', '))}, which is not accepted here. ${REMEDY}`,
    CIPHERS.includes(cipher) ? 'key transport' : 'cipher',
  );
}

/** Some providers encrypt with AES-CBC, whatever our metadata asks for, until they are told. */
const REMEDY =
  "Let the identity provider use aes128-gcm or aes256-gcm with rsa-oaep-mgf1p (SimpleSAMLphp 2: 'sharedkey_algorithm' => 'http://www.w3.org/2009/xmlenc11#aes128-gcm'), or not encrypt.";

/** What is decrypted is found by names without a namespace: nothing may go by the same name. */
function hasStranger(element: XmlElement): boolean {
  const names = ['EncryptedData', 'EncryptedKey', 'EncryptionMethod', 'CipherData', 'CipherValue'];
  return element.children.some(
    (child) =>
      (names.includes(child.name) && !isNamed(child, 'encryption', child.name)) || hasStranger(child),
  );
}

const algorithmOf = (element: XmlElement) => element.attributes.get('Algorithm') ?? '';

const shorten = (uri: string) => uri.split('#').at(-1) || uri;
