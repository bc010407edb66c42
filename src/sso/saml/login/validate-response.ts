import { LoginRefused } from '#src/sso/login-refused.ts';
import {
  judgeAge,
  judgeAssertionIssuer,
  judgeAudience,
  judgeConditions,
  judgeConfirmation,
  judgeSession,
} from '#src/sso/saml/login/judge-assertion.ts';
import {
  judgeAlgorithms,
  judgeContent,
  judgeDestination,
  judgeEncryption,
  judgeRequest,
  judgeResponse,
  judgeResponseIssuer,
  judgeStatus,
} from '#src/sso/saml/login/judge-envelope.ts';
import { judgeSignature } from '#src/sso/saml/login/judge-signature.ts';
import { judgeAttributes, judgeNameId } from '#src/sso/saml/login/judge-subject.ts';
import type {
  Reading,
  ResponseCheck,
  ResponseStep,
  ResponseVerdict,
} from '#src/sso/saml/login/response-check.ts';
import { decodePosted } from '#src/sso/saml/messages/decode-message.ts';
import { readXml, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';
import { met, type StepOutcome, unmet } from '#src/sso/saml/messages/step-outcome.ts';

type Judge = (reading: Reading, element: XmlElement) => StepOutcome | Promise<StepOutcome>;

/** Each step with what it reads: the message as it came, or the assertion that the signature covers. */
const STEPS: readonly [name: string, reads: 'nothing' | 'response' | 'assertion', judge: Judge][] = [
  ['message', 'nothing', judgeMessage],
  ['response', 'response', judgeResponse],
  ['status', 'response', judgeStatus],
  ['response issuer', 'response', judgeResponseIssuer],
  ['destination', 'response', judgeDestination],
  ['request', 'response', judgeRequest],
  ['content', 'response', judgeContent],
  ['encryption', 'response', judgeEncryption],
  ['algorithms', 'response', judgeAlgorithms],
  ['signature', 'response', judgeSignature],
  ['issuer', 'assertion', judgeAssertionIssuer],
  ['age', 'assertion', judgeAge],
  ['confirmation', 'assertion', judgeConfirmation],
  ['conditions', 'assertion', judgeConditions],
  ['audience', 'assertion', judgeAudience],
  ['session', 'assertion', judgeSession],
  ['name id', 'assertion', judgeNameId],
  ['attributes', 'assertion', judgeAttributes],
];

const NOBODY: XmlElement = { namespace: '', name: '', attributes: new Map(), children: [], text: '' };

/** Judges a response of an identity provider step by step (SAML Profiles, section 4.1.4.3). Never throws. */
export async function validateResponse(check: ResponseCheck): Promise<ResponseVerdict> {
  const reading: Reading = { check };
  const steps: ResponseStep[] = [];
  for (const [name, reads, judge] of STEPS) {
    const element = reads === 'nothing' ? NOBODY : reading[reads];
    const isOver = !check.thorough && steps.some(({ status }) => status === 'fail');
    const outcome =
      element === undefined ||
      isOver ||
      (name === 'signature' && hasFailed(steps, 'content', 'encryption', 'algorithms'))
        ? { status: 'skipped' as const, message: 'It was not looked at.' }
        : await judgeSafely(() => judge(reading, element));
    steps.push({ name, ...outcome });
  }
  const isSound = steps.every(({ status }) => status === 'ok');
  return { steps, identity: isSound ? reading.identity : undefined };
}

const hasFailed = (steps: ResponseStep[], ...names: string[]) =>
  steps.some(({ name, status }) => status === 'fail' && names.includes(name));

/** Whatever a library throws may hold parts of the message. */
async function judgeSafely(judge: () => StepOutcome | Promise<StepOutcome>): Promise<StepOutcome> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof LoginRefused) return unmet(error.reason, error.message, error.detail);
    return unmet('message_invalid', 'It cannot be read.', 'unexpected');
  }
}

function judgeMessage(reading: Reading): StepOutcome {
  const xml = decodePosted(reading.check.message);
  reading.response = readXml(xml);
  reading.xml = xml;
  return met(`It is well-formed XML of ${Buffer.byteLength(xml)} bytes.`);
}
