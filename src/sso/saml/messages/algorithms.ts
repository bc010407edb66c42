/** How messages may be signed, with the hash as OpenSSL names it. */
export const SIGNATURES: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': 'sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
};

export const DIGESTS = [
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512',
];

/** Only for providers that are set up to use them. */
export const SHA1 = {
  signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
};

/** How assertions may be encrypted to us, best first. */
export const CIPHERS = ['aes256-gcm', 'aes192-gcm', 'aes128-gcm'].map(
  (name) => `http://www.w3.org/2009/xmlenc11#${name}`,
);

export const KEY_TRANSPORTS = ['http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p'];
