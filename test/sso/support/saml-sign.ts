import { type CipherGCM, constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { bareBase64, type SamlKey } from '#test/sso/support/saml-keys.ts';

export interface SigningChoices {
  signatureAlgorithm?: 'sha1' | 'sha256' | 'sha512' | undefined;
  digestAlgorithm?: 'sha1' | 'sha256' | 'sha512' | undefined;
  /** A certificate to carry in KeyInfo. */
  carry?: string | undefined;
}

const SIGNATURES = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  sha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  sha512: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
};

const DIGESTS = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};

/** Signs the element of an ID with an enveloped signature behind its Issuer. */
export function signElement(xml: string, id: string, key: SamlKey, choices: SigningChoices = {}): string {
  const { signatureAlgorithm = 'sha256', digestAlgorithm = 'sha256', carry } = choices;
  const signer = new SignedXml({
    privateKey: key.privateKey,
    signatureAlgorithm: SIGNATURES[signatureAlgorithm],
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
    getKeyInfoContent: () =>
      carry === undefined
        ? null
        : `<X509Data><X509Certificate>${bareBase64(carry)}</X509Certificate></X509Data>`,
  });
  const element = `//*[@ID='${id}']`;
  signer.addReference({
    xpath: element,
    transforms: [
      'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
      'http://www.w3.org/2001/10/xml-exc-c14n#',
    ],
    digestAlgorithm: DIGESTS[digestAlgorithm],
  });
  signer.computeSignature(xml, {
    location: { reference: `${element}/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signer.getSignedXml();
}

export type Encryption = 'gcm-oaep' | 'gcm128-oaep' | 'cbc-oaep' | 'gcm-rsa15';

const CONTENT = {
  gcm: { cipher: 'aes-256-gcm', uri: 'http://www.w3.org/2009/xmlenc11#aes256-gcm', bytes: 32 },
  gcm128: { cipher: 'aes-128-gcm', uri: 'http://www.w3.org/2009/xmlenc11#aes128-gcm', bytes: 16 },
  cbc: { cipher: 'aes-256-cbc', uri: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc', bytes: 32 },
};

const TRANSPORT = {
  oaep: {
    padding: constants.RSA_PKCS1_OAEP_PADDING,
    uri: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  },
  rsa15: { padding: constants.RSA_PKCS1_PADDING, uri: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' },
};

/** `EncryptedData` (XML Encryption 1.1) that the owner of a certificate can open. */
export function encryptXml(xml: string, certificate: string, encryption: Encryption): string {
  const [content, transport] = encryption.split('-') as [keyof typeof CONTENT, keyof typeof TRANSPORT];
  const { cipher: name, uri, bytes } = CONTENT[content];
  const key = randomBytes(bytes);
  const iv = randomBytes(content === 'cbc' ? 16 : 12);
  const cipher = createCipheriv(name, key, iv);
  const sealed = Buffer.concat([iv, cipher.update(xml, 'utf8'), cipher.final()]);
  const tag = content === 'cbc' ? Buffer.alloc(0) : (cipher as CipherGCM).getAuthTag();
  const { padding, uri: transportUri } = TRANSPORT[transport];
  const wrapped = publicEncrypt({ key: certificate, padding, oaepHash: 'sha1' }, key);
  return [
    '<xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" Type="http://www.w3.org/2001/04/xmlenc#Element">',
    `<xenc:EncryptionMethod Algorithm="${uri}"/>`,
    '<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey>',
    `<xenc:EncryptionMethod Algorithm="${transportUri}"/>`,
    `<xenc:CipherData><xenc:CipherValue>${wrapped.toString('base64')}</xenc:CipherValue></xenc:CipherData>`,
    '</xenc:EncryptedKey></ds:KeyInfo>',
    `<xenc:CipherData><xenc:CipherValue>${Buffer.concat([sealed, tag]).toString('base64')}</xenc:CipherValue></xenc:CipherData>`,
    '</xenc:EncryptedData>',
  ].join('');
}
