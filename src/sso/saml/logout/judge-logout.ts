import type { RefusalReason } from '#src/sso/login-refused.ts';
import type { LogoutRequest, LogoutResponse, MessageHead } from '#src/sso/saml/logout/read-logout.ts';
import { LONGEST_AGE, SKEW } from '#src/sso/saml/messages/read-time.ts';

export interface Expected {
  /** The provider's entity id. */
  issuer: string;
  /** Our address for messages about logging out. */
  destination: string;
  now: Date;
}

interface Fault {
  reason: RefusalReason;
  detail?: string | undefined;
}

/** What is wrong with a request whose signature is right. */
export function faultOfRequest(request: LogoutRequest, expected: Expected): Fault | undefined {
  const { notOnOrAfter: end } = request;
  const isOver = end !== undefined && end + SKEW <= expected.now.getTime();
  return faultOfHead(request, expected) ?? (isOver ? { reason: 'token_expired' } : undefined);
}

/** The same for an answer to a request of ours. */
export function faultOfResponse(
  response: LogoutResponse,
  { requestId, ...expected }: Expected & { requestId: string },
): Fault | undefined {
  const isAnother = response.inResponseTo !== requestId;
  return faultOfHead(response, expected) ?? (isAnother ? { reason: 'response_mismatch' } : undefined);
}

/** A signed message must say where it goes (SAML Bindings, sections 3.4.5.2 and 3.5.5.2). */
function faultOfHead({ issuer, destination, issuedAt }: MessageHead, expected: Expected): Fault | undefined {
  const age = expected.now.getTime() - issuedAt;
  if (issuer !== expected.issuer) return { reason: 'issuer_mismatch' };
  if (destination !== expected.destination)
    return { reason: 'destination_mismatch', detail: destination === undefined ? 'none' : undefined };
  if (age > LONGEST_AGE + SKEW) return { reason: 'token_expired' };
  return age < -SKEW ? { reason: 'token_not_yet_valid' } : undefined;
}
