import type { Reading } from '#src/sso/saml/login/response-check.ts';
import { judgeEncrypted, judgeSignatureAlgorithms } from '#src/sso/saml/messages/judge-algorithms.ts';
import { childrenNamed, isNamed, textOf, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';
import { met, quote, type StepOutcome, unmet } from '#src/sso/saml/messages/step-outcome.ts';
import { STATUS_CODES, SUCCESS } from '#src/sso/saml/urns.ts';

/** What stands around the assertion can be forged where only the assertion is signed: it can spoil a sign-in, never help it. */
export function judgeResponse(_reading: Reading, response: XmlElement): StepOutcome {
  if (!isNamed(response, 'protocol', 'Response')) {
    return unmet('message_invalid', `It is ${quote(response.name)}, not a SAML 2.0 Response.`, 'no response');
  }
  const version = response.attributes.get('Version');
  if (version !== '2.0')
    return unmet('message_invalid', `Its version is ${quote(version)}, not "2.0".`, 'version');
  return met('It is a SAML 2.0 Response.');
}

/** SAML Core, section 3.2.2.2. */
export function judgeStatus(_reading: Reading, response: XmlElement): StepOutcome {
  const [status] = childrenNamed(response, 'protocol', 'Status');
  const [code] = childrenNamed(status, 'protocol', 'StatusCode');
  const value = code?.attributes.get('Value');
  if (value === SUCCESS) return met('The identity provider reports success.');
  if (value === undefined) return unmet('message_invalid', 'It has no status.', 'status');

  const sub = childrenNamed(code, 'protocol', 'StatusCode')[0]?.attributes.get('Value');
  const words = textOf(childrenNamed(status, 'protocol', 'StatusMessage')[0]);
  const codes = [value, sub].flatMap((urn) => urn?.split(':').at(-1) ?? []);
  const message = `The identity provider reports ${quote(codes.join(', '))}${words === undefined ? '' : `: ${quote(words)}`}.`;
  // The second code, where there is one, says why; words of the provider's own belong in no log.
  const known = codes.findLast((code) => STATUS_CODES.includes(code));
  return unmet(reasonOf(known), message, known ?? 'status');
}

function reasonOf(word: string | undefined): 'access_denied' | 'interaction_required' | 'provider_error' {
  if (word === 'RequestDenied' || word === 'AuthnFailed') return 'access_denied';
  return word === 'NoPassive' ? 'interaction_required' : 'provider_error';
}

export function judgeResponseIssuer({ check }: Reading, response: XmlElement): StepOutcome {
  const [issuer] = childrenNamed(response, 'assertion', 'Issuer');
  if (!issuer) return met('The response names no issuer; the assertion decides.');
  return judgeIssuer(textOf(issuer), check.party.entityId);
}

export function judgeIssuer(issuer: string | undefined, expected: string): StepOutcome {
  if (issuer === expected) return met(`The issuer is ${quote(issuer)}.`);
  return unmet('issuer_mismatch', `The issuer is ${quote(issuer)}; expected ${quote(expected)}.`);
}

export function judgeDestination({ check }: Reading, response: XmlElement): StepOutcome {
  const destination = response.attributes.get('Destination');
  if (destination === undefined) return met('The response names no destination; the assertion decides.');
  if (destination === check.acsUrl) return met(`The destination is ${quote(destination)}.`);
  return unmet(
    'destination_mismatch',
    `The destination is ${quote(destination)}; expected ${quote(check.acsUrl)}.`,
  );
}

export function judgeRequest(reading: Reading, response: XmlElement): StepOutcome {
  const answered = response.attributes.get('InResponseTo');
  if (answered === undefined && reading.check.answers !== 'nothing') {
    return met('The response names no request; the assertion decides.');
  }
  return judgeAnswered(reading, answered);
}

/** Whether what is answered is what has been asked. */
export function judgeAnswered(
  { check: { answers } }: Pick<Reading, 'check'>,
  answered: string | undefined,
): StepOutcome {
  const says = answered === undefined ? 'It answers no request' : `It answers the request ${quote(answered)}`;
  if (answers === 'anything') return met(`${says}. Whether that was one of this service is not looked at.`);
  if (answered === (answers === 'nothing' ? undefined : answers.requestId)) return met(`${says}.`);
  if (answers === 'nothing') {
    return unmet('response_mismatch', `${says}, which does not wait for an answer.`, 'unasked');
  }
  return answered === undefined
    ? unmet('response_unsolicited', `${says}, but one was asked.`)
    : unmet('response_mismatch', `${says}; expected ${quote(answers.requestId)}.`);
}

export function judgeContent(_reading: Reading, response: XmlElement): StepOutcome {
  const count = ['Assertion', 'EncryptedAssertion'].flatMap((name) =>
    childrenNamed(response, 'assertion', name),
  ).length;
  if (count === 1) return met('It holds one assertion.');
  return count === 0
    ? unmet('assertion_missing', 'It holds no assertion.')
    : unmet('message_invalid', `It holds ${count} assertions.`, 'several assertions');
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

/** Of the message as it came; what is encrypted in it is judged once it is decrypted. */
export function judgeAlgorithms({ check }: Reading, response: XmlElement): StepOutcome {
  return judgeSignatureAlgorithms(response, check.policy.allowSha1);
}
