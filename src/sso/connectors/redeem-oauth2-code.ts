import { authenticateClient } from '#src/sso/connectors/client-authentication.ts';
import { explainErrorAnswer } from '#src/sso/connectors/explain-failure.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Outbound } from '#src/sso/outbound/outbound.ts';
import type { Answer } from '#src/sso/outbound/send-request.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';
import type { OAuth2Provider } from '#src/sso/providers/provider.ts';

/** One login at one provider. */
export interface OAuth2Session {
  provider: OAuth2Provider;
  outbound: Outbound;
  signal: AbortSignal;
}

interface CodeProof {
  code: string;
  codeVerifier: string;
  redirectUri: string;
}

/** The access token for a code (RFC 6749, section 4.1.3), from servers that read the standard loosely too. */
export async function redeemOAuth2Code(
  { provider, outbound, signal }: OAuth2Session,
  { code, codeVerifier, redirectUri }: CodeProof,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: new URL(redirectUri).href,
    code_verifier: codeVerifier,
  });
  const headers = new Headers({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  });
  authenticateClient(provider, body, headers);

  const answer = await outbound.request(new URL(provider.tokenUrl), {
    method: 'POST',
    headers: Object.fromEntries(headers),
    body: body.toString(),
    allowsPrivate: true,
    signal,
  });
  return readAccessToken(answer);
}

/** GitHub reports errors with status 200; some servers leave out `token_type`, but another one than bearer is refused. */
function readAccessToken(answer: Answer): string {
  const fields = readFields(answer);
  if (fields?.error !== undefined) {
    throw new LoginRefused(explainTokenError(fields.error), String(answer.status));
  }
  if (answer.status !== 200) throw new LoginRefused('provider_failed', String(answer.status));
  if (!fields) throw new LoginRefused('provider_not_json');

  const { access_token: token, token_type: type = 'bearer' } = fields;
  const bearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
  if (!bearer || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new LoginRefused('provider_answer_invalid');
  }
  return token;
}

/** GitHub has its own words for RFC 6749, section 5.2. */
function explainTokenError(error: unknown) {
  if (error === 'bad_verification_code') return 'code_refused';
  return error === 'incorrect_client_credentials' ? 'client_refused' : explainErrorAnswer(error, 'token');
}

function readFields({ contentType = '', text }: Answer): Record<string, unknown> | undefined {
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
