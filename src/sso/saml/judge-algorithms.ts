import { childrenNamed, descendantsNamed, isNamed, type XmlElement } from '#src/sso/saml/read-xml.ts';
import { met, quote, type Reading, type StepOutcome, unmet } from '#src/sso/saml/response-check.ts';

const SIGNATURES = ['rsa-sha256', 'rsa-sha384', 'rsa-sha512'].map(
  (name) => `http://www.w3.org/2001/04/xmldsig-more#${name}`,
);
const DIGESTS = [
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512',
];
const SHA1 = ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'http://www.w3.org/2000/09/xmldsig#sha1'];
const CIPHERS = ['aes128-gcm', 'aes192-gcm', 'aes256-gcm'].map(
  (name) => `http://www.w3.org/2009/xmlenc11#${name}`,
);
const KEY_TRANSPORTS = ['http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p'];

/** All signatures in the message, whichever counts in the end. */
export function judgeSignatureAlgorithms({ check }: Reading, root: XmlElement): StepOutcome {
  const signed = descendantsNamed(root, 'signature', 'SignedInfo');
  const used = (name: string) =>
    signed.flatMap((info) => descendantsNamed(info, 'signature', name)).map(algorithmOf);
  const weak = check.policy.allowSha1 ? SHA1 : [];
  const refused = [
    ...used('SignatureMethod').filter((each) => ![...SIGNATURES, ...weak].includes(each)),
    ...used('DigestMethod').filter((each) => ![...DIGESTS, ...weak].includes(each)),
  ];
  if (refused.length === 0) {
    const names = [...new Set(used('SignatureMethod'))].map(shorten).join(', ');
    return met(
      names === '' ? 'Nothing to look at outside what is encrypted.' : `It is signed with ${names}.`,
    );
  }
  const isSha1 = refused.some((each) => SHA1.includes(each));
  return unmet(
    'algorithm_refused',
    `It is signed with ${quote(refused.map(shorten).join(', '))}, which is not accepted here.`,
    isSha1 ? 'SHA-1' : 'signature',
  );
}

/** Before anything is decrypted: how it is encrypted, and whether it has to be. */
export function judgeEncryption({ check: { policy } }: Reading, response: XmlElement): StepOutcome {
  const [encrypted] = childrenNamed(response, 'assertion', 'EncryptedAssertion');
  if (encrypted) return judgeEncrypted(encrypted, policy.decryptionKey);
  return policy.requireEncryptedAssertions
    ? unmet(
        'assertion_unencrypted',
        'The assertion is not encrypted, as this identity provider is set up to do.',
      )
    : met('The assertion is not encrypted, and need not be.');
}

/** `EncryptedAssertion` or `EncryptedID`, in one of the two ways that are safe: AES-GCM, its key by RSA-OAEP. */
export function judgeEncrypted(encrypted: XmlElement, decryptionKey: string | undefined): StepOutcome {
  if (decryptionKey === undefined) {
    return unmet(
      'assertion_undecipherable',
      'It is encrypted, but there is no decryption key here.',
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
    'assertion_undecipherable',
    `It is encrypted with ${quote(refused.map(shorten).join(', '))}; only AES-GCM with RSA-OAEP is accepted.`,
    'algorithm',
  );
}

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
