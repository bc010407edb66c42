import { decryptXml, getVerifiedXml, parseDomFromString, xpath } from '@node-saml/node-saml/lib/xml.js';
import { XMLSerializer } from '@xmldom/xmldom';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { judgeEncrypted, judgeSignatureAlgorithms } from '#src/sso/saml/judge-algorithms.ts';
import { childrenNamed, isNamed, NAMESPACES, readXml, type XmlElement } from '#src/sso/saml/read-xml.ts';
import {
  met,
  type Reading,
  type ResponseCheck,
  type StepOutcome,
  unmet,
} from '#src/sso/saml/response-check.ts';
import { LARGEST_MESSAGE } from '#src/sso/saml/scan-xml.ts';

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
const SEALED = unmet('assertion_undecipherable', 'It is encrypted for another key than the one here.', 'key');

type Dom = Awaited<ReturnType<typeof parseDomFromString>>;
type DomElement = ReturnType<typeof xpath.selectElements>[number];

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
  const verified = isSigned ? verify(xml, [dom.documentElement], check) : undefined;
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
    ? acceptSigned(reading, verify(xml, childElements(dom, 'Assertion'), check))
    : NONE;
}

/** Signed inside, or by the response around it; and then what is decrypted comes from what is signed. */
async function findEncryptedAssertion(reading: Reading, verified: string | undefined): Promise<StepOutcome> {
  const { xml = '', check } = reading;
  const source = await parseDomFromString(verified ?? xml);
  const opened = await decrypt(childElements(source, 'EncryptedAssertion'), check.policy.decryptionKey);
  if (opened === undefined) return SEALED;

  const assertion = readXml(opened);
  const algorithms = judgeSignatureAlgorithms(reading, assertion);
  if (algorithms.status === 'fail') return algorithms;
  if (!isNamed(assertion, 'assertion', 'Assertion')) {
    return unmet('assertion_missing', 'What is encrypted is not an assertion.', 'encrypted');
  }
  if (verified !== undefined) return accept(reading, { assertion, signedXml: opened }, SIGNED_RESPONSE);
  if (!hasSignature(assertion)) return NONE;
  return acceptSigned(reading, verify(opened, [(await parseDomFromString(opened)).documentElement], check));
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

/** A NameID that is encrypted inside what is signed. Throws `LoginRefused` when it opens to something that is no XML. */
export async function openEncryptedId(
  encrypted: XmlElement,
  signedXml: string,
  decryptionKey: string | undefined,
): Promise<XmlElement | StepOutcome> {
  const outcome = judgeEncrypted(encrypted, decryptionKey);
  if (outcome.status === 'fail') return outcome;
  const found = select(
    await parseDomFromString(signedXml),
    `//${named('assertion', 'Subject')}/${named('assertion', 'EncryptedID')}`,
  );
  const opened = await decrypt(found, decryptionKey);
  return opened === undefined ? SEALED : readXml(opened);
}

/** The canonical bytes that the one signature of the one element covers. Throws when it covers something else. */
function verify(xml: string, elements: DomElement[], { party }: ResponseCheck): string | undefined {
  const [element] = elements;
  if (!element || elements.length > 1) return undefined;
  return getVerifiedXml(xml, element, [...party.certificates]) ?? undefined;
}

async function decrypt(elements: DomElement[], key: string | undefined): Promise<string | undefined> {
  const [element] = elements;
  if (!element || elements.length > 1 || key === undefined) return undefined;
  try {
    return await decryptXml(new XMLSerializer().serializeToString(element), key);
  } catch {
    return undefined;
  }
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

const select = (dom: Dom, path: string): DomElement[] => xpath.selectElements(dom, path);

const named = (namespace: keyof typeof NAMESPACES, name: string) =>
  `*[local-name()='${name}' and namespace-uri()='${NAMESPACES[namespace]}']`;

const hasSignature = (element: XmlElement) => childrenNamed(element, 'signature', 'Signature').length > 0;
