import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { FieldReader } from '#src/sso/providers/field-reader.ts';

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;
const SHORTEST_KEY = 2_048;

/** X.509 certificates as PEM, one or several; bare base64 counts as one. Values are never repeated in a problem. */
export function readCertificates(reader: FieldReader, field: string): string[] {
  const value = reader.value(field);
  const texts: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return texts.flatMap((text) => {
    const blocks = typeof text === 'string' ? splitBlocks(breakLines(text)) : [];
    if (blocks.length === 0) reader.report(field, 'must be an X.509 certificate in PEM or base64');
    return blocks.flatMap((block) => normalize(reader, field, block) ?? []);
  });
}

export function readCertificate(reader: FieldReader, field: string): string | undefined {
  const certificates = readCertificates(reader, field);
  if (certificates.length > 1) reader.report(field, 'must be one certificate');
  return certificates[0];
}

/** An RSA key in PEM that belongs to the certificate. */
export function readPrivateKey(
  reader: FieldReader,
  field: string,
  certificate: string | undefined,
): string | undefined {
  const given = reader.block(field);
  if (given === undefined) return undefined;
  const text = breakLines(given).trim();
  const key = parseKey(text);
  if (!key) reader.report(field, 'must be a private key in PEM, without a passphrase');
  else if (!isStrongRsa(key)) reader.report(field, `must be an RSA key of at least ${SHORTEST_KEY} bits`);
  else if (certificate !== undefined && !new X509Certificate(certificate).checkPrivateKey(key)) {
    reader.report(field, 'does not belong to the certificate');
  }
  return key && text;
}

/** In variables of one line, line breaks are written as `\\n`; PEM has no backslashes of its own. */
function breakLines(text: string): string {
  return text.replaceAll(/(?:\\r)?\\n/g, '\n');
}

function splitBlocks(text: string): string[] {
  const blocks = [...text.matchAll(BLOCK)].map(([block]) => block);
  if (blocks.length > 0) return text.replace(BLOCK, '').trim() === '' ? blocks : [];
  const bare = text.replaceAll(/\s/g, '');
  return /^[A-Za-z0-9+/]{100,}={0,2}$/.test(bare)
    ? [`-----BEGIN CERTIFICATE-----\n${bare}\n-----END CERTIFICATE-----`]
    : [];
}

function normalize(reader: FieldReader, field: string, block: string): string | undefined {
  if (!block.startsWith('-----BEGIN CERTIFICATE-----')) {
    reader.report(field, block.includes('KEY-----') ? 'is a key, not a certificate' : 'is not a certificate');
    return undefined;
  }
  const certificate = parseCertificate(block);
  if (!certificate) reader.report(field, 'cannot be read as an X.509 certificate');
  else if (!isStrongRsa(certificate.publicKey)) {
    reader.report(field, `must be an RSA certificate of at least ${SHORTEST_KEY} bits`);
  }
  return certificate?.toString();
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** RSA of at least 2,048 bits: all that signs SAML messages here. */
export function isStrongRsa({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= SHORTEST_KEY;
}
