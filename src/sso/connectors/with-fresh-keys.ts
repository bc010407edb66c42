import { type Configuration, getJwksCache } from 'openid-client';
import { configureClient } from '#src/sso/connectors/configure-client.ts';
import type { KnownIssuer } from '#src/sso/connectors/discovery-cache.ts';
import { explainFailure, type Step } from '#src/sso/connectors/explain-failure.ts';
import type { RefusalReason } from '#src/sso/login-refused.ts';
import { fetchThrough } from '#src/sso/outbound/fetch-through.ts';
import type { Outbound } from '#src/sso/outbound/outbound.ts';
import type { Answer } from '#src/sso/outbound/send-request.ts';
import type { OidcProvider } from '#src/sso/provider.ts';

interface Attempt<Result> {
  step: Step;
  outbound: Pick<Outbound, 'request'>;
  /** The deadline of the login. */
  signal: AbortSignal;
  run: (config: Configuration) => Promise<Result>;
}

interface Outcome<Result> {
  result: Result;
  config: Configuration;
}

/**
 * Runs a token request with the keys last seen. When they do not verify the answer, the provider may have changed
 * them since: the same answer is checked once more against fresh ones, for a code can be redeemed only once.
 */
export async function withFreshKeys<Result>(
  provider: OidcProvider,
  known: KnownIssuer,
  attempt: Attempt<Result>,
): Promise<Outcome<Result>> {
  const { keys } = known;
  const fetch = fetchThrough(askOnce(attempt.outbound, known.document.token_endpoint), {
    allowsPrivate: known.allowsPrivate,
    signal: attempt.signal,
  });
  const first = configureClient(provider, known, { fetch, keys });
  try {
    return await runOnce(known, first, attempt);
  } catch (error) {
    const refusal = explainFailure(error, attempt.step);
    const staleKeys = keys !== undefined && getJwksCache(first)?.uat === keys.uat;
    if (!staleKeys || !BY_KEYS.includes(refusal.reason)) throw refusal;
  }
  try {
    return await runOnce(known, configureClient(provider, known, { fetch, keys: undefined }), attempt);
  } catch (error) {
    throw explainFailure(error, attempt.step);
  }
}

const BY_KEYS: readonly RefusalReason[] = [
  'signing_key_unknown',
  'signing_key_ambiguous',
  'signature_invalid',
];

async function runOnce<Result>(
  known: KnownIssuer,
  config: Configuration,
  { run }: Attempt<Result>,
): Promise<Outcome<Result>> {
  try {
    return { result: await run(config), config };
  } finally {
    known.keys = getJwksCache(config) ?? known.keys;
  }
}

/** The token endpoint is asked once; a second request gets the first answer again. */
function askOnce(outbound: Pick<Outbound, 'request'>, tokenEndpoint: string): Pick<Outbound, 'request'> {
  const { href } = new URL(tokenEndpoint);
  let answer: Promise<Answer> | undefined;
  return {
    request: (url, request) => {
      if (url.href !== href) return outbound.request(url, request);
      answer ??= outbound.request(url, request);
      return answer;
    },
  };
}
