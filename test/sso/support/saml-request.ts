import { createVerify } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { Extractor } from 'samlify';
import { SignedXml } from 'xml-crypto';

export interface ReceivedRequest {
  id: string;
  issuer: string;
  acsUrl: string;
  destination: string;
  /** Undefined: none was asked for. */
  nameIdFormat: string | undefined;
  relayState: string | undefined;
  /** Whether the named certificate signed it, and with what. */
  signed: boolean;
  algorithm: string | undefined;
  xml: string;
}

/** An AuthnRequest as a browser brings it: in the query, or as fields of a form. */
export function readRequest(
  request: URL | Readonly<Record<string, string>>,
  certificate?: string,
): ReceivedRequest {
  return request instanceof URL ? readRedirected(request, certificate) : readPosted(request, certificate);
}

function readRedirected(url: URL, certificate: string | undefined): ReceivedRequest {
  const { searchParams } = url;
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const octets = url.search.slice(1).replace(/&Signature=.*$/, '');
  const signature = searchParams.get('Signature');
  const signed =
    signature !== null &&
    certificate !== undefined &&
    createVerify('RSA-SHA256').update(octets).verify(certificate, signature, 'base64');
  return {
    ...extract(xml),
    relayState: searchParams.get('RelayState') ?? undefined,
    signed,
    algorithm: searchParams.get('SigAlg') ?? undefined,
  };
}

function readPosted(
  form: Readonly<Record<string, string>>,
  certificate: string | undefined,
): ReceivedRequest {
  const xml = Buffer.from(form.SAMLRequest ?? '', 'base64').toString();
  const verifier = new SignedXml({ publicCert: certificate ?? '' });
  const signature = /<Signature [\s\S]*<\/Signature>/.exec(xml)?.[0];
  if (signature !== undefined) verifier.loadSignature(signature);
  return {
    ...extract(xml),
    relayState: form.RelayState,
    signed: signature !== undefined && certificate !== undefined && isVerified(verifier, xml),
    algorithm: verifier.signatureAlgorithm,
  };
}

function isVerified(verifier: SignedXml, xml: string): boolean {
  try {
    return verifier.checkSignature(xml);
  } catch {
    return false;
  }
}

function extract(xml: string) {
  const found = Extractor.extract(xml, [
    {
      key: 'request',
      localPath: ['AuthnRequest'],
      attributes: ['ID', 'AssertionConsumerServiceURL', 'Destination'],
    },
    { key: 'issuer', localPath: ['AuthnRequest', 'Issuer'], attributes: [] },
    { key: 'nameIdFormat', localPath: ['AuthnRequest', 'NameIDPolicy'], attributes: ['Format'] },
  ]) as {
    request: { id: string; assertionConsumerServiceUrl: string; destination: string };
    issuer: string;
    nameIdFormat?: string;
  };
  return {
    id: found.request.id,
    issuer: found.issuer,
    acsUrl: found.request.assertionConsumerServiceUrl,
    destination: found.request.destination,
    nameIdFormat: found.nameIdFormat,
    xml,
  };
}
