import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { errorCode } from '#src/kernel/error-code.ts';
import { LoginRefused, type RefusalReason } from '#src/sso/login-refused.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';

export type Step = 'token' | 'refresh' | 'userinfo';

/** What an exception of openid-client means, by its code and the kind of its evidence; nothing of it is kept. */
export function explainFailure(error: unknown, step: Step): LoginRefused {
  const chain = causesOf(error);
  const refusal = chain.find((cause) => cause instanceof LoginRefused);
  if (refusal) return refusal;
  if (error instanceof ResponseBodyError) {
    return new LoginRefused(explainErrorAnswer(error.error, step), String(error.status));
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new LoginRefused(step === 'userinfo' ? 'provider_failed' : 'client_refused', String(error.status));
  }
  if (error instanceof AuthorizationResponseError) return new LoginRefused('provider_error');

  const code = errorCode(error) ?? 'unknown';
  const response = chain.find((cause) => cause instanceof Response);
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && response) {
    return new LoginRefused('provider_failed', String(response.status));
  }
  return new LoginRefused(explainCode(code, findEvidence(chain), step), code);
}

/** What an error answer of a token endpoint means (RFC 6749, section 5.2). */
export function explainErrorAnswer(error: unknown, step: Step): RefusalReason {
  if (error === 'invalid_client' || error === 'unauthorized_client') return 'client_refused';
  if (error === 'invalid_grant') return step === 'refresh' ? 'refresh_refused' : 'code_refused';
  return error === 'access_denied' ? 'access_denied' : 'provider_error';
}

type Evidence = Record<string, unknown>;

function explainCode(code: string, evidence: Evidence, step: Step): RefusalReason {
  switch (code) {
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
      return 'provider_not_json';
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return evidence.claim === 'nbf' ? 'token_not_yet_valid' : 'token_expired';
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return MISMATCHES[String(evidence.claim)] ?? 'claim_invalid';
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return step === 'userinfo' ? 'userinfo_subject_mismatch' : 'provider_answer_invalid';
    case 'OAUTH_KEY_SELECTION_FAILED':
      return Array.isArray(evidence.candidates) && evidence.candidates.length > 1
        ? 'signing_key_ambiguous'
        : 'signing_key_unknown';
    case 'OAUTH_UNSUPPORTED_OPERATION':
      return 'alg' in evidence ? 'algorithm_refused' : 'provider_answer_invalid';
    case 'OAUTH_INVALID_RESPONSE':
      return explainInvalid(evidence, step);
    case 'OAUTH_HTTP_REQUEST_FORBIDDEN':
    case 'OAUTH_REQUEST_PROTOCOL_FORBIDDEN':
    case 'OAUTH_MISSING_SERVER_METADATA':
    case 'OAUTH_INVALID_SERVER_METADATA':
      return 'discovery_invalid';
    default:
      return 'provider_answer_invalid';
  }
}

const MISMATCHES: Readonly<Record<string, RefusalReason | undefined>> = {
  iss: 'issuer_mismatch',
  aud: 'audience_mismatch',
  azp: 'authorized_party_mismatch',
  nonce: 'nonce_mismatch',
};

const ABSENCES: readonly (readonly [string, RefusalReason])[] = [
  ['aud', 'audience_mismatch'],
  ['iss', 'issuer_mismatch'],
  ['sub', 'subject_missing'],
  ['nonce', 'nonce_mismatch'],
];

/** The library uses one code for many things; each leaves other evidence. */
function explainInvalid(evidence: Evidence, step: Step): RefusalReason {
  const { claims, body } = evidence;
  if ('signature' in evidence) return 'signature_invalid';
  if ('header' in evidence && 'expected' in evidence) return 'algorithm_refused';
  if (isRecord(claims)) {
    const [, reason] = ABSENCES.find(([name]) => claims[name] === undefined) ?? [];
    return reason ?? (typeof claims.sub === 'string' ? 'claim_invalid' : 'subject_invalid');
  }
  if (!isRecord(body)) return 'provider_answer_invalid';
  if (step === 'userinfo') return 'userinfo_subject_mismatch';
  return typeof body.access_token === 'string' && body.id_token === undefined
    ? 'id_token_missing'
    : 'provider_answer_invalid';
}

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && chain.length < 5; ) {
    chain.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return chain;
}

function findEvidence(chain: unknown[]): Evidence {
  return chain.filter(isRecord).find((cause) => !(cause instanceof Error)) ?? {};
}
