import type { Bench } from '#test/bench/bench.ts';
import { type Comparison, duel, overall } from '#test/bench/duel.ts';
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

/** The goal is for the operation over all numbers of connections, the limit for each of them. */
function goalsFor(
  operation: string,
  comparisons: Comparison[],
  { goal, limit }: { goal: number; limit: number },
): Goal[] {
  const own = comparisons.filter((comparison) => comparison.operation === operation);
  const lowest = Math.min(...own.map(({ throughput }) => throughput));
  return [
    {
      what: `${operation}: throughput to bare`,
      measured: overall(own, ({ throughput }) => throughput),
      bound: 'least',
      goal,
    },
    { what: `${operation}: lowest throughput to bare`, measured: lowest, bound: 'least', goal: limit },
    { what: `${operation}: p99 to bare`, measured: overall(own, ({ p99 }) => p99), bound: 'most', goal: 1.3 },
  ];
}
