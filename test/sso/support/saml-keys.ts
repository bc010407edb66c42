import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';

export interface SamlKey {
  /** PEM. */
  privateKey: string;
  /** PEM. */
  certificate: string;
}

const made = new Map<string, Promise<SamlKey>>();

/** An RSA key of 2048 bits with its certificate; for each name one, made once in a process. */
export function samlKey(name: string): Promise<SamlKey> {
  const known = made.get(name) ?? makeKey(name);
  made.set(name, known);
  return known;
}

async function makeKey(name: string): Promise<SamlKey> {
  const keyPair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const { cert } = await generate([{ name: 'commonName', value: name }], { keyPair, algorithm: 'sha256' });
  return { privateKey: keyPair.privateKey, certificate: new X509Certificate(cert).toString() };
}

/** What stands between the first and the last line. */
export function bareBase64(pem: string): string {
  return pem.replaceAll(/-----[^-]+-----|\s/g, '');
}
