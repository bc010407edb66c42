import type { ServerMetadata } from 'openid-client';
import { SIGNATURE_ALGORITHMS } from '#src/sso/connectors/signature-algorithms.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { AddressClass } from '#src/sso/outbound/classify-address.ts';
import type { Outbound } from '#src/sso/outbound/outbound.ts';
import type { Answer } from '#src/sso/outbound/send-request.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';

/** What a login needs of a provider's discovery document (OpenID Connect Discovery 1.0, section 3). */
export interface DiscoveryDocument extends ServerMetadata {
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
}

const REDIRECTS = 3;

/** Asks for the discovery document of an issuer, whatever is in it. */
export async function requestDiscovery(
  outbound: Outbound,
  issuer: string,
  signal: AbortSignal,
): Promise<Answer> {
  if (!URL.canParse(issuer)) throw new LoginRefused('provider_misconfigured');
  const url = new URL(`${withoutSlash(issuer)}/.well-known/openid-configuration`);
  return await outbound.request(url, {
    headers: { accept: 'application/json' },
    allowsPrivate: true,
    redirects: REDIRECTS,
    signal,
  });
}

/** Whether an address that a document names may be private: only if the document itself came from one. */
export const isInside = (from: AddressClass) => from === 'private' || from === 'loopback';

export function parseAnswer({ status, text }: Answer): unknown {
  if (status !== 200) throw new LoginRefused('provider_failed', String(status));
  try {
    return JSON.parse(text);
  } catch {
    throw new LoginRefused('provider_not_json');
  }
}

/** The document of this very issuer, with everything a login needs; `LoginRefused` with the reason otherwise. */
export function readDiscovery(issuer: string, document: unknown): DiscoveryDocument {
  if (!isRecord(document)) throw new LoginRefused('discovery_invalid');
  requireSameIssuer(issuer, document.issuer);

  const plain = issuer.startsWith('http:');
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) {
    if (!isEndpoint(document[name], plain)) throw new LoginRefused('discovery_invalid', name);
  }
  for (const name of ['userinfo_endpoint', 'end_session_endpoint']) {
    const value = document[name] ?? undefined;
    if (value !== undefined && !isEndpoint(value, plain)) throw new LoginRefused('discovery_invalid', name);
  }
  return toDocument(issuer, document);
}

/** Compared character by character (OpenID Connect Discovery 1.0, section 4.3). */
export function requireSameIssuer(issuer: string, published: unknown): void {
  if (typeof published !== 'string' || published === '') throw new LoginRefused('discovery_issuer_missing');
  // What "common" and "organizations" of Entra ID publish stands for whatever tenant signs.
  if (/[{}]/.test(published)) throw new LoginRefused('discovery_issuer_template');
  if (published === issuer) return;
  const slash = withoutSlash(published) === withoutSlash(issuer);
  throw new LoginRefused(slash ? 'discovery_issuer_slash' : 'discovery_issuer_mismatch');
}

const withoutSlash = (text: string) => text.replace(/\/$/, '');

/** An https URL without credentials and fragment; http only where the issuer itself is http. */
export function isEndpoint(value: unknown, plain: boolean): value is string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || url.username || url.password || url.hash) return false;
  return url.protocol === 'https:' || (plain && url.protocol === 'http:');
}

/** Only what is used: a document may be large, and is copied for each login. */
function toDocument(issuer: string, document: Record<string, unknown>): DiscoveryDocument {
  const text = (name: string) => String(document[name]);
  const optional = (name: string) => (typeof document[name] === 'string' ? { [name]: document[name] } : {});
  return {
    issuer,
    authorization_endpoint: text('authorization_endpoint'),
    token_endpoint: text('token_endpoint'),
    jwks_uri: text('jwks_uri'),
    ...optional('userinfo_endpoint'),
    ...optional('end_session_endpoint'),
    authorization_response_iss_parameter_supported:
      document.authorization_response_iss_parameter_supported === true,
    claims_parameter_supported: document.claims_parameter_supported !== false,
    // What we accept, not what the provider offers.
    id_token_signing_alg_values_supported: [...SIGNATURE_ALGORITHMS],
    userinfo_signing_alg_values_supported: [...SIGNATURE_ALGORITHMS],
  };
}
