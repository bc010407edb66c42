import type { ExportedJWKSCache } from 'openid-client';
import { parseAnswer } from '#src/sso/connectors/discovery-document.ts';
import type { OidcSession } from '#src/sso/connectors/redeem-oidc.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';

type SharedSession = Pick<OidcSession, 'access' | 'known'> & { signal?: AbortSignal | undefined };

/**
 * The provider's keys, asked for after `since` (`performance.now()`): logins at the same moment share one request, which
 * the deadline of none of them ends.
 */
export async function shareKeys(
  { access, known }: Omit<SharedSession, 'signal'>,
  since: number,
): Promise<ExportedJWKSCache> {
  if (known.asking && known.asking.at > since) return await known.asking.answer;
  const asking = { at: performance.now(), answer: fetchKeys({ access, known }) };
  known.asking = asking;
  try {
    return await asking.answer;
  } catch (error) {
    if (known.asking === asking) known.asking = undefined;
    throw error;
  }
}

/** The provider's keys as they are now; kept for the next login. */
export async function fetchKeys({ access, known, signal }: SharedSession): Promise<ExportedJWKSCache> {
  const answer = await access.outbound.request(new URL(known.document.jwks_uri), {
    headers: { accept: 'application/json' },
    allowsPrivate: known.allowsPrivate,
    signal,
  });
  const keys = readKeys(parseAnswer(answer));
  known.keys = { jwks: { keys }, uat: Math.floor(access.now().getTime() / 1_000) };
  return known.keys;
}

/** RFC 7517, section 5. */
function readKeys(document: unknown): Record<string, unknown>[] {
  const keys: unknown = isRecord(document) ? document.keys : undefined;
  if (!Array.isArray(keys)) throw new LoginRefused('keys_invalid');
  return keys.filter(isRecord);
}
