import type { LogoutNotice } from '#src/sso/connector.ts';
import { requireSubject } from '#src/sso/connectors/check-id-token.ts';
import { fetchKeys } from '#src/sso/connectors/fetch-keys.ts';
import type { OidcSession } from '#src/sso/connectors/redeem-oidc.ts';
import { CLOCK_TOLERANCE } from '#src/sso/connectors/signature-algorithms.ts';
import { type Jws, parseJws, verifySignature } from '#src/sso/connectors/verify-signature.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Seconds; a logout token is sent when it is made. */
const OLDEST = 600;

/** Seconds between two questions for keys: anybody may send us tokens signed with keys that nobody has. */
const KEYS_PAUSE = 10;

/** Seconds; as long as openid-client trusts them. */
const KEYS_LIFETIME = 300;

/** Every check of OpenID Connect Back-Channel Logout 1.0, section 2.6, but that of the token's being new. */
export async function verifyLogoutToken(session: OidcSession, token: string): Promise<LogoutNotice> {
  const jws = parseJws(token);
  const notice = readNotice(jws, session);
  await verifyWithKeys(session, jws);
  return notice;
}

function readNotice({ header, claims }: Jws, { provider, access }: OidcSession): LogoutNotice {
  if (claims.iss !== provider.issuer) throw new LoginRefused('issuer_mismatch');
  if (![claims.aud].flat().includes(provider.clientId)) throw new LoginRefused('audience_mismatch');
  requireLogoutEvent(header, claims);

  const expiresAt = readExpiry(claims, access.now().getTime() / 1_000);
  const subject = claims.sub === undefined ? null : requireSubject(claims.sub);
  const sid = claims.sid === undefined ? null : requireSubject(claims.sid);
  if (subject === null && sid === null) throw new LoginRefused('subject_missing');
  return { issuer: provider.issuer, subject, sid, tokenId: requireTokenId(claims.jti), expiresAt };
}

/** An ID token has a nonce or no event: neither may pass for a logout token. */
function requireLogoutEvent(header: Jws['header'], claims: Jws['claims']): void {
  const type = header.typ ?? 'JWT';
  const named = typeof type === 'string' && /^((application\/)?logout\+)?jwt$/i.test(type);
  const event = isRecord(claims.events) && isRecord(claims.events[EVENT]);
  if (!named || !event || 'nonce' in claims) throw new LoginRefused('logout_token_invalid');
}

function readExpiry({ iat, exp }: Jws['claims'], now: number): Date {
  if (typeof iat !== 'number' || iat > now + CLOCK_TOLERANCE || iat < now - OLDEST) {
    throw new LoginRefused('issued_at_implausible');
  }
  const expires = exp ?? iat + OLDEST;
  if (typeof expires !== 'number') throw new LoginRefused('claim_invalid');
  if (expires <= now - CLOCK_TOLERANCE) throw new LoginRefused('token_expired');
  return new Date((Math.min(expires, iat + OLDEST) + CLOCK_TOLERANCE) * 1_000);
}

function requireTokenId(jti: unknown): string {
  if (typeof jti === 'string' && jti !== '' && jti.length <= 255 && !jti.includes('\0')) return jti;
  throw new LoginRefused('claim_invalid');
}

async function verifyWithKeys(session: OidcSession, jws: Jws): Promise<void> {
  const { keys } = session.known;
  const age = keys ? session.access.now().getTime() / 1_000 - keys.uat : KEYS_LIFETIME;
  if (keys && age < KEYS_LIFETIME) {
    try {
      verifySignature(jws, keys.jwks.keys);
      return;
    } catch (error) {
      if (age < KEYS_PAUSE) throw error;
    }
  }
  const fresh = await fetchKeys(session);
  verifySignature(jws, fresh.jwks.keys);
}
