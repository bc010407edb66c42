import { getVerifiedXml, parseDomFromString } from '@node-saml/node-saml/lib/xml.js';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Reading, ResponseCheck } from '#src/sso/saml/login/response-check.ts';
import { type DomElement, decryptElement, UNDECIPHERABLE } from '#src/sso/saml/messages/decrypt-element.ts';
import { judgeSignatureAlgorithms } from '#src/sso/saml/messages/judge-algorithms.ts';
import { listSigners } from '#src/sso/saml/messages/list-signers.ts';
import { childrenNamed, isNamed, readXml, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';
import { LARGEST_MESSAGE } from '#src/sso/saml/messages/scan-xml.ts';
import { met, type StepOutcome, unmet } from '#src/sso/saml/messages/step-outcome.ts';
import { NAMESPACES } from '#src/sso/saml/urns.ts';

/** Canonical XML can be longer than what was sent. */
const SIGNED_LIMITS = { bytes: 2 * LARGEST_MESSAGE, elements: 4_000 };

const SIGNED_RESPONSE = 'The response is signed by the identity provider.';
const SIGNED_ASSERTION = 'The assertion is signed by the identity provider.';

const NONE = unmet('signature_missing', 'Neither the response nor the assertion is signed.');
const WRONG = unmet(
  'signature_invalid',
  'No certificate of the identity provider made the signature.',
  'value',
);
const MISPLACED = unmet(
  'signature_invalid',
  'The signature covers something else than what it stands in.',
  'structure',
);

type Dom = Awaited<ReturnType<typeof parseDomFromString>>;

/**
 * Finds the assertion in bytes that the provider signed: those of the whole response, or those of the assertion. Only
 * what the verified signature covers is read from here on (SAML Core, section 5.4).
 */
export async function judgeSignature(reading: Reading, response: XmlElement): Promise<StepOutcome> {
  try {
    return await findSignedAssertion(reading, response);
  } catch (error) {
    // The library throws for whatever is wrong with the structure of a signature, in words that hold parts of it.
    if (error instanceof LoginRefused) throw error;
    return MISPLACED;
  }
}

async function findSignedAssertion(reading: Reading, response: XmlElement): Promise<StepOutcome> {
  const { xml = '', check } = reading;
  const dom = await parseDomFromString(xml);
  const isSigned = hasSignature(response);
  const verified = isSigned
    ? verify({ xml, signed: response, found: [dom.documentElement] }, check)
    : undefined;
  if (isSigned && verified === undefined) return WRONG;

  if (childrenNamed(response, 'assertion', 'EncryptedAssertion').length > 0) {
    return await findEncryptedAssertion(reading, verified);
  }
  if (verified !== undefined) {
    const [assertion] = childrenNamed(readXml(verified, SIGNED_LIMITS), 'assertion', 'Assertion');
    return assertion ? accept(reading, { assertion, signedXml: verified }, SIGNED_RESPONSE) : MISPLACED;
  }
  const [assertion] = childrenNamed(response, 'assertion', 'Assertion');
  return assertion && hasSignature(assertion)
    ? acceptSigned(reading, verify({ xml, signed: assertion, found: childElements(dom, 'Assertion') }, check))
    : NONE;
}

/** Signed inside, or by the response around it; and then what is decrypted comes from what is signed. */
async function findEncryptedAssertion(reading: Reading, verified: string | undefined): Promise<StepOutcome> {
  const { xml = '', check } = reading;
  const source = await parseDomFromString(verified ?? xml);
  const opened = await decryptElement(
    childElements(source, 'EncryptedAssertion'),
    check.policy.decryptionKey,
  );
  if (opened === undefined) return UNDECIPHERABLE;

  const assertion = readXml(opened);
  const algorithms = judgeSignatureAlgorithms(assertion, check.policy.allowSha1);
  if (algorithms.status === 'fail') return algorithms;
  if (!isNamed(assertion, 'assertion', 'Assertion')) {
    return unmet('assertion_missing', 'What is encrypted is not an assertion.', 'encrypted');
  }
  if (verified !== undefined) return accept(reading, { assertion, signedXml: opened }, SIGNED_RESPONSE);
  if (!hasSignature(assertion)) return NONE;
  const found = [(await parseDomFromString(opened)).documentElement];
  return acceptSigned(reading, verify({ xml: opened, signed: assertion, found }, check));
}

function acceptSigned(reading: Reading, signedXml: string | undefined): StepOutcome {
  if (signedXml === undefined) return WRONG;
  return accept(reading, { assertion: readXml(signedXml, SIGNED_LIMITS), signedXml }, SIGNED_ASSERTION);
}

function accept(
  reading: Reading,
  found: { assertion: XmlElement; signedXml: string },
  message: string,
): StepOutcome {
  Object.assign(reading, found);
  return met(message);
}

interface Signed {
  xml: string;
  /** What is signed in it. */
  signed: XmlElement;
  /** The same, where the library looks for it. */
  found: DomElement[];
}

/** The canonical bytes that the one signature of the one element covers. Throws when it covers something else. */
function verify({ xml, signed, found }: Signed, { party }: ResponseCheck): string | undefined {
  const [element] = found;
  const signers = listSigners(signed, party.certificates);
  if (!element || found.length > 1 || signers.length === 0) return undefined;
  return getVerifiedXml(xml, element, signers) ?? undefined;
}

/** Of the root; paths would take longer than all else that is done here. */
function childElements(dom: Dom, name: string): DomElement[] {
  return Array.from(dom.documentElement.childNodes).filter(
    (node): node is DomElement =>
      'localName' in node &&
      node.localName === name &&
      'namespaceURI' in node &&
      node.namespaceURI === NAMESPACES.assertion,
  );
}

const hasSignature = (element: XmlElement) => childrenNamed(element, 'signature', 'Signature').length > 0;
