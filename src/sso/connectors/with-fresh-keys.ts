import type { Configuration } from 'openid-client';
import { configureClient } from '#src/sso/connectors/configure-client.ts';
import type { KnownIssuer } from '#src/sso/connectors/discovery-cache.ts';
import { explainFailure, type Step } from '#src/sso/connectors/explain-failure.ts';
import { shareKeys } from '#src/sso/connectors/fetch-keys.ts';
import type { RefusalReason } from '#src/sso/login-refused.ts';
import { fetchThrough } from '#src/sso/outbound/fetch-through.ts';
import type { Outbound } from '#src/sso/outbound/outbound.ts';
import type { Answer } from '#src/sso/outbound/send-request.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';

interface Attempt<Result> {
  step: Step;
  access: ProviderAccess;
  /** The deadline of the login. */
  signal: AbortSignal;
  run: (config: Configuration) => Promise<Result>;
}

interface Outcome<Result> {
  result: Result;
  config: Configuration;
}

/** Keys that another login asked for so many milliseconds ago will do, unless they fail. */
const JUST_NOW = 60_000;

/**
 * Runs a token request with the keys last seen. When they do not verify the answer, the provider may have changed
 * them since: the same answer is checked once more against fresh ones, for a code can be redeemed only once.
 */
export async function withFreshKeys<Result>(
  provider: OidcProvider,
  known: KnownIssuer,
  { step, access, signal, run }: Attempt<Result>,
): Promise<Outcome<Result>> {
  const exchange = new Exchange(access, known);
  const fetch = fetchThrough(exchange, { allowsPrivate: known.allowsPrivate, signal });
  const attempt = async (keys: KnownIssuer['keys']) => {
    const config = configureClient(provider, known, { fetch, keys });
    return { result: await run(config), config };
  };
  try {
    return await attempt(known.keys);
  } catch (error) {
    const refusal = explainFailure(error, step);
    if (!BY_KEYS.includes(refusal.reason) || !exchange.insistOnFreshKeys()) throw refusal;
  }
  try {
    return await attempt(undefined);
  } catch (error) {
    throw explainFailure(error, step);
  }
}

const BY_KEYS: readonly RefusalReason[] = [
  'signing_key_unknown',
  'signing_key_ambiguous',
  'signature_invalid',
];

/** The requests of one login. The token endpoint is asked once; a second request gets the first answer again. */
class Exchange implements Pick<Outbound, 'request'> {
  readonly #access: ProviderAccess;
  readonly #known: KnownIssuer;
  #answer: Promise<Answer> | undefined;
  /** When the token was there, signed with a key that was published by then. */
  #answeredAt = 0;
  #keysSince = performance.now() - JUST_NOW;

  constructor(access: ProviderAccess, known: KnownIssuer) {
    this.#access = access;
    this.#known = known;
  }

  /** False when the keys were asked for after the token was there: they will not be others. */
  insistOnFreshKeys(): boolean {
    this.#keysSince = this.#answeredAt;
    return (this.#known.asking?.at ?? 0) <= this.#answeredAt;
  }

  async request(url: URL, request: Parameters<Outbound['request']>[1]): Promise<Answer> {
    const { token_endpoint: tokenEndpoint, jwks_uri: jwksUri } = this.#known.document;
    if (url.href === new URL(tokenEndpoint).href) {
      this.#answer ??= this.#redeem(url, request);
      return await this.#answer;
    }
    if (url.href === new URL(jwksUri).href) return await this.#keys(url);
    return await this.#access.outbound.request(url, request);
  }

  async #redeem(url: URL, request: Parameters<Outbound['request']>[1]): Promise<Answer> {
    const answer = await this.#access.outbound.request(url, request);
    this.#answeredAt = performance.now();
    return answer;
  }

  async #keys(url: URL): Promise<Answer> {
    const { jwks } = await shareKeys({ access: this.#access, known: this.#known }, this.#keysSince);
    const text = JSON.stringify(jwks);
    const contentType = 'application/json';
    return { url, status: 200, contentType, challenge: undefined, location: undefined, text, from: 'public' };
  }
}
