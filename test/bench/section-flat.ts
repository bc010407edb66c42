import type { Bench, Site } from '#test/bench/bench.ts';
import { duel } from '#test/bench/duel.ts';
import { thrift } from '#test/bench/goals.ts';
import { BOTH_OPERATIONS, FILTERS, operationsOn } from '#test/bench/operations.ts';
import { startProduct } from '#test/bench/processes.ts';
import { askingByKey } from '#test/bench/requests.ts';
import type { Section } from '#test/bench/section.ts';
import { comparisonTable, contenderOn, roundsFor, serve } from '#test/bench/serving.ts';

/** What a request costs on the large ledger to what it costs on the small one. */
export async function benchFlat(bench: Bench): Promise<Section> {
  const [small, large] = [await bench.small(), await bench.large()];
  await using servers = new AsyncDisposableStack();
  const productOn = async (site: Site) => {
    const server = await serve(bench, servers, startProduct(site.url));
    const exchanges = askingByKey(operationsOn(site.ledger), site.ledger.key);
    return contenderOn(bench, site, server, { exchanges, applicationName: 'finance' });
  };

  const comparisons = await duel(
    { contender: await productOn(large), reference: await productOn(small) },
    [...BOTH_OPERATIONS, ...FILTERS],
    [16],
    roundsFor(bench),
  );
  const growth = large.ledger.transactions / small.ledger.transactions;
  return {
    name: 'flat',
    tables: [
      comparisonTable(`Product, ledger ${growth} times larger to small`, comparisons, ['large', 'small']),
    ],
    goals: comparisons.map((comparison) => ({
      what: `${comparison.operation}: cost on the large ledger to the small`,
      measured: 1 / thrift(comparison),
      bound: 'most',
      goal: 1.1,
    })),
  };
}
