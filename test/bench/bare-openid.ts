import {
  allowInsecureRequests,
  authorizationCodeGrant,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { CLIENT_ID, CLIENT_SECRET } from '#test/bench/issuer-terms.ts';

/** What the parent sends; it is answered with RedeemResult, one at a time. */
export interface RedeemOrder {
  issuer: string;
  logins: number;
  connections: number;
}

export interface RedeemResult {
  seconds: number;
  p50: number;
  p99: number;
  /** Microseconds of all threads for one callback. */
  cpu: number;
}

interface Login {
  callback: URL;
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Kept as long as the process lives, and the keys with it. */
let configuration: Configuration | undefined;

/** Nothing but openid-client: signatures checked, user info asked for. Starting the logins is not timed. */
async function redeemAll({ issuer, logins, connections }: RedeemOrder): Promise<RedeemResult> {
  configuration ??= await discovery(new URL(issuer), CLIENT_ID, undefined, ClientSecretPost(CLIENT_SECRET), {
    execute: [allowInsecureRequests, enableNonRepudiationChecks],
  });
  const kept = configuration;
  const started: Login[] = [];
  while (started.length < logins) started.push(await startLogin(issuer));

  const took: number[] = [];
  const begun = performance.now();
  const cpuBefore = process.cpuUsage();
  const drive = async () => {
    for (let login = started.pop(); login; login = started.pop()) {
      const asked = performance.now();
      await redeem(kept, login);
      took.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: connections }, drive));

  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(took).sort();
  const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { seconds, p50: percentile(0.5), p99: percentile(0.99), cpu: (user + system) / logins };
}

async function startLogin(issuer: string): Promise<Login> {
  const [state, nonce, codeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
  const url = new URL('/authorize', issuer);
  url.search = new URLSearchParams({
    redirect_uri: 'http://127.0.0.1/callback',
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
  }).toString();
  const response = await fetch(url, { redirect: 'manual' });
  return { callback: new URL(response.headers.get('location') ?? ''), state, nonce, codeVerifier };
}

async function redeem(kept: Configuration, { callback, state, nonce, codeVerifier }: Login): Promise<void> {
  const tokens = await authorizationCodeGrant(kept, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
  await fetchUserInfo(kept, tokens.access_token, tokens.claims()?.sub ?? '');
}

process.on('message', (order: RedeemOrder) => {
  redeemAll(order).then((result) => process.send?.(result), fail);
});
process.on('disconnect', () => process.exit());

function fail(error: Error): void {
  process.stderr.write(`openid-client: ${error.stack}\n`);
  process.exit(1);
}
