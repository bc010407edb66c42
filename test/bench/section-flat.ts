import type { Bench } from '#test/bench/bench.ts';
import { type Comparison, duel } from '#test/bench/duel.ts';
import { BOTH_OPERATIONS, FILTERS } from '#test/bench/operations.ts';
import { startProduct } from '#test/bench/processes.ts';
import type { Section } from '#test/bench/section.ts';
import { comparisonTable, contenderOn, roundsFor, serve } from '#test/bench/serving.ts';

/** What a request costs on the large ledger to what it costs on the small one. */
export async function benchFlat(bench: Bench): Promise<Section> {
  const [small, large] = [await bench.small(), await bench.large()];
  await using servers = new AsyncDisposableStack();
  const onSmall = await serve(bench, servers, startProduct(small.url));
  const onLarge = await serve(bench, servers, startProduct(large.url));

  const comparisons = await duel(
    {
      contender: contenderOn(bench, large, onLarge, 'finance'),
      reference: contenderOn(bench, small, onSmall, 'finance'),
    },
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
      measured: cost(comparison),
      bound: 'most',
      goal: 1.1,
    })),
  };
}

/** By CPU where it is known, because other load on the machine hardly moves it. */
function cost({ cpu, throughput }: Comparison): number {
  return 1 / (cpu ?? throughput);
}
