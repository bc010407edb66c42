import { judgeAnswered, judgeIssuer } from '#src/sso/saml/login/judge-envelope.ts';
import type { Reading } from '#src/sso/saml/login/response-check.ts';
import { LONGEST_AGE, readTime, SKEW } from '#src/sso/saml/messages/read-time.ts';
import { childrenNamed, isNamed, textOf, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';
import { met, quote, type StepOutcome, unmet } from '#src/sso/saml/messages/step-outcome.ts';

/** Longer ones could not be looked up again. */
const LONGEST_ID = 500;

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** Conditions that are kept here; any other makes an assertion one of unknown validity (SAML Core, section 2.5.1). */
const KNOWN_CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];

export function judgeAssertionIssuer({ check }: Reading, assertion: XmlElement): StepOutcome {
  const version = assertion.attributes.get('Version');
  if (version !== '2.0') {
    return unmet(
      'message_invalid',
      `The version of the assertion is ${quote(version)}, not "2.0".`,
      'version',
    );
  }
  return judgeIssuer(textOf(childrenNamed(assertion, 'assertion', 'Issuer')[0]), check.party.entityId);
}

export function judgeAge(reading: Reading, assertion: XmlElement): StepOutcome {
  const { now } = reading.check;
  const issued = readTime(assertion.attributes.get('IssueInstant'));
  const { length } = assertion.attributes.get('ID') ?? '';
  if (length === 0 || length > LONGEST_ID) {
    return unmet('claim_invalid', 'The assertion has no ID, or one that is too long.', 'ID');
  }
  if (issued === undefined) {
    return unmet('claim_invalid', 'The assertion does not say when it was issued.', 'IssueInstant');
  }
  if (issued > now + SKEW) return early('It was issued', issued, reading);
  if (issued + LONGEST_AGE + SKEW <= now) return late('It was issued', issued, reading);
  reading.issuedAt = issued;
  reading.usableUntil = issued + LONGEST_AGE;
  return met(`It was issued at ${isoOf(issued)}.`);
}

/** SAML Profiles, section 4.1.4.2: a bearer confirmation with recipient, end and request; one that holds is enough. */
export function judgeConfirmation(reading: Reading, assertion: XmlElement): StepOutcome {
  const [subject] = childrenNamed(assertion, 'assertion', 'Subject');
  const bearers = childrenNamed(subject, 'assertion', 'SubjectConfirmation').filter(
    (each) => each.attributes.get('Method') === BEARER,
  );
  const outcomes = bearers.map((each) =>
    judgeBearer(reading, childrenNamed(each, 'assertion', 'SubjectConfirmationData')[0]),
  );
  return (
    outcomes.find(({ status }) => status === 'ok') ??
    outcomes[0] ??
    unmet('confirmation_missing', 'There is no SubjectConfirmation of the bearer method.')
  );
}

function judgeBearer(reading: Reading, data: XmlElement | undefined): StepOutcome {
  const { check } = reading;
  const recipient = data?.attributes.get('Recipient');
  const until = readTime(data?.attributes.get('NotOnOrAfter'));
  const from = data?.attributes.get('NotBefore');
  if (!data || until === undefined) {
    return unmet(
      'confirmation_missing',
      'The SubjectConfirmation does not say how long it is good.',
      'NotOnOrAfter',
    );
  }
  if (recipient !== check.acsUrl) {
    return unmet(
      'recipient_mismatch',
      `The recipient is ${quote(recipient)}; expected ${quote(check.acsUrl)}.`,
    );
  }
  if (until + SKEW <= check.now) return late('The confirmation was good until', until, reading);
  const begin = from === undefined ? undefined : readTime(from);
  if (from !== undefined && begin === undefined) return badTime('NotBefore');
  if (begin !== undefined && begin > check.now + SKEW)
    return early('The confirmation is good from', begin, reading);

  const answered = judgeAnswered(reading, data.attributes.get('InResponseTo'));
  if (answered.status === 'fail') return answered;
  reading.usableUntil = Math.min(reading.usableUntil ?? until, until);
  return met(`It is for ${quote(recipient)}, good until ${isoOf(until)}. ${answered.message}`);
}

export function judgeConditions(reading: Reading, assertion: XmlElement): StepOutcome {
  const { now } = reading.check;
  const [conditions, ...more] = childrenNamed(assertion, 'assertion', 'Conditions');
  if (!conditions) return unmet('conditions_missing', 'There are no Conditions.');
  if (more.length > 0) return unmet('message_invalid', 'There are several Conditions.', 'several conditions');
  if (!conditions.children.every(isKnownCondition)) {
    return unmet('message_invalid', 'There is a condition that is not known here.', 'unknown condition');
  }
  const [from, until] = ['NotBefore', 'NotOnOrAfter'].map((name) => conditions.attributes.get(name));
  const [begin, end] = [from, until].map(readTime);
  if (from !== undefined && begin === undefined) return badTime('NotBefore');
  if (until !== undefined && end === undefined) return badTime('NotOnOrAfter');
  if (begin !== undefined && begin > now + SKEW) return early('It is valid from', begin, reading);
  if (end !== undefined && end + SKEW <= now) return late('It was valid until', end, reading);
  return met(`It is valid from ${isoOf(begin)} until ${isoOf(end)}.`);
}

function isKnownCondition(child: XmlElement): boolean {
  return KNOWN_CONDITIONS.some((name) => isNamed(child, 'assertion', name));
}

export function judgeAudience({ check }: Reading, assertion: XmlElement): StepOutcome {
  const [conditions] = childrenNamed(assertion, 'assertion', 'Conditions');
  const restrictions = childrenNamed(conditions, 'assertion', 'AudienceRestriction').map((each) =>
    childrenNamed(each, 'assertion', 'Audience').map(textOf),
  );
  if (restrictions.length === 0) {
    return unmet('conditions_missing', 'There is no AudienceRestriction.', 'audience');
  }
  if (restrictions.every((audiences) => audiences.includes(check.entityId))) {
    return met(`The audience is ${quote(check.entityId)}.`);
  }
  const named = restrictions.flat().map((each) => quote(each));
  return unmet(
    'audience_mismatch',
    `The audience is ${named.join(', ') || 'nobody'}; expected ${quote(check.entityId)}.`,
  );
}

export function judgeSession(reading: Reading, assertion: XmlElement): StepOutcome {
  const statements = childrenNamed(assertion, 'assertion', 'AuthnStatement');
  if (statements.length === 0) {
    return unmet(
      'claim_invalid',
      'There is no AuthnStatement: it does not say that anybody signed in.',
      'AuthnStatement',
    );
  }
  for (const { attributes } of statements) {
    if ((attributes.get('SessionIndex') ?? '').length > LONGEST_ID) {
      return unmet('claim_invalid', 'The SessionIndex is too long.', 'SessionIndex');
    }
    const text = attributes.get('SessionNotOnOrAfter');
    const end = readTime(text);
    if (text !== undefined && end === undefined) return badTime('SessionNotOnOrAfter');
    if (end !== undefined && end + SKEW <= reading.check.now)
      return late('The session lasted until', end, reading);
  }
  return met('It says that somebody signed in.');
}

const early = (what: string, time: number, { check }: Reading) =>
  unmet('token_not_yet_valid', `${what} ${isoOf(time)}; it is ${isoOf(check.now)} here.`);

const late = (what: string, time: number, { check }: Reading) =>
  unmet('token_expired', `${what} ${isoOf(time)}; it is ${isoOf(check.now)} here.`);

const badTime = (name: string) => unmet('message_invalid', `${name} is not a time.`, name);

const isoOf = (time: number | undefined) => (time === undefined ? 'any time' : new Date(time).toISOString());
