import type { Bench } from '#test/bench/bench.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import type { Contender } from '#test/bench/contender.ts';
import { duel } from '#test/bench/duel.ts';
import { throughputGoals } from '#test/bench/goals.ts';
import { addCrowd, BEHIND_PROXY, type Crowd, signInRequests } from '#test/bench/people.ts';
import { startBareArgon2, startProduct } from '#test/bench/processes.ts';
import { requestText } from '#test/bench/requests.ts';
import type { Section } from '#test/bench/section.ts';
import { comparisonTable, contenderOn, roundsFor, serve } from '#test/bench/serving.ts';

/** So many that hardly two of them sign in as the same person at the same time. */
const PEOPLE = 192;

/** Fewer than the product lets wait. */
const CONNECTIONS = [2, 16];

/**
 * Signing in with the right password against argon2id alone, with the product's parameters and on the same cores.
 * The ratio says how much of the machine goes into the hash; the rest is HTTP, throttle, session and audit.
 */
export async function benchSignin(bench: Bench): Promise<Section> {
  const site = await bench.imports();
  const crowd = await addCrowd(site.monitor, 'signin', PEOPLE);
  await using servers = new AsyncDisposableStack();
  const product = await serve(bench, servers, startProduct(site.url, BEHIND_PROXY));
  const exchanges = { 'sign-in': { requests: signInRequests(crowd).map(requestText), status: 200 } };

  const comparisons = await duel(
    {
      contender: contenderOn(bench, site, product, { exchanges, applicationName: 'finance' }),
      reference: hashing(bench, servers, crowd),
    },
    Object.keys(exchanges),
    CONNECTIONS,
    roundsFor(bench),
  );
  return {
    name: 'signin',
    tables: [comparisonTable('Sign-ins to argon2id alone', comparisons, ['product', 'argon2id'])],
    goals: throughputGoals('sign-ins to argon2id', comparisons, { goal: 0.9, limit: 0.8 }),
  };
}

function hashing({ cleanup }: Bench, servers: AsyncDisposableStack, crowd: Crowd): Contender {
  const worker = startBareArgon2();
  servers.defer(() => worker.stop());
  cleanup.defer(() => worker.stop());
  return {
    measure: async ({ connections, milliseconds }) => {
      const { password, digest } = crowd;
      const result = await worker.run({ password, digest, connections, milliseconds });
      const { hashes, failures, seconds, p50, p99, cpu } = result;
      if (failures > 0) throw new WrongAnswer(`${failures} of ${hashes} hashes are not the product's`);
      return { throughput: hashes / seconds, p50, p99, cpu };
    },
  };
}
