import type { Bench } from '#test/bench/bench.ts';
import { type Comparison, duel, overall } from '#test/bench/duel.ts';
import { type Bounds, throughputGoals } from '#test/bench/goals.ts';
import { BOTH_OPERATIONS, FILTERS } from '#test/bench/operations.ts';
import type { Goal, Section } from '#test/bench/section.ts';
import { comparisonTable, roundsFor, withBothServers } from '#test/bench/serving.ts';

/** Both operations against the bare server. */
export async function benchApi(bench: Bench): Promise<Section> {
  const comparisons = await withBothServers(bench, (servers) =>
    duel(servers, BOTH_OPERATIONS, [1, 16, 64], roundsFor(bench)),
  );
  return {
    name: 'api',
    tables: [comparisonTable('Product to bare server, the two operations', comparisons, ['product', 'bare'])],
    goals: BOTH_OPERATIONS.flatMap((operation) =>
      goalsFor(operation, comparisons, { goal: 0.9, limit: 0.8 }),
    ),
  };
}

/** Filters and the deepest page against the bare server. */
export async function benchFilters(bench: Bench): Promise<Section> {
  const comparisons = await withBothServers(bench, (servers) =>
    duel(servers, FILTERS, [16], roundsFor(bench)),
  );
  return {
    name: 'filters',
    tables: [comparisonTable('Product to bare server, filters and depth', comparisons, ['product', 'bare'])],
    goals: FILTERS.flatMap((operation) => goalsFor(operation, comparisons, { goal: 0.85, limit: 0.7 })),
  };
}

function goalsFor(operation: string, comparisons: Comparison[], bounds: Bounds): Goal[] {
  const own = comparisons.filter((comparison) => comparison.operation === operation);
  return [
    ...throughputGoals(`${operation}: throughput to bare`, own, bounds),
    { what: `${operation}: p99 to bare`, measured: overall(own, ({ p99 }) => p99), bound: 'most', goal: 1.3 },
  ];
}
