import type { Contender, Sample } from '#test/bench/contender.ts';
import { best, geometricMean, median, shuffle } from '#test/bench/figures.ts';

export interface Rounds {
  count: number;
  milliseconds: number;
}

/** How a contender did against the reference in one operation with so many connections. */
export interface Comparison {
  operation: string;
  connections: number;
  /** Contender to reference: 1 is as good, more is better. Median over the rounds, and best round to best round. */
  throughput: number;
  bestThroughput: number;
  /** CPU of the reference to CPU of the contender: more is better. */
  cpu: number | undefined;
  /** Contender to reference: less is better. */
  p99: number;
  contender: Summary;
  reference: Summary;
}

type Summary = Sample & { bestThroughput: number };

/**
 * Rounds over all operations and numbers of connections in random order. Both sides are measured one right after
 * the other, the first of them by lot, so that whatever else the machine does meets both.
 */
export async function duel(
  { contender, reference }: { contender: Contender; reference: Contender },
  operations: string[],
  connections: number[],
  { count, milliseconds }: Rounds,
): Promise<Comparison[]> {
  const cells = operations.flatMap((operation) =>
    connections.map((number): Cell => ({ operation, connections: number, ours: [], theirs: [] })),
  );
  for (let round = 0; round <= count; round += 1) {
    for (const cell of shuffle(cells)) {
      const load = {
        operation: cell.operation,
        connections: cell.connections,
        // The first round only warms up.
        milliseconds: round === 0 ? milliseconds / 4 : milliseconds,
      };
      for (const side of shuffle(['ours', 'theirs'] as const)) {
        const sample = await (side === 'ours' ? contender : reference).measure(load);
        if (round > 0) cell[side].push(sample);
      }
    }
  }
  return cells.map(compare);
}

interface Cell {
  operation: string;
  connections: number;
  ours: Sample[];
  theirs: Sample[];
}

function compare({ operation, connections, ours, theirs }: Cell): Comparison {
  const [contender, reference] = [summarize(ours), summarize(theirs)];
  const ratios = (pick: (sample: Sample) => number) =>
    ours.map((sample, round) => pick(sample) / pick(theirs[round] ?? sample));
  return {
    operation,
    connections,
    throughput: median(ratios(({ throughput }) => throughput)),
    bestThroughput: contender.bestThroughput / reference.bestThroughput,
    cpu: contender.cpu && reference.cpu && reference.cpu / contender.cpu,
    p99: median(ratios(({ p99 }) => p99)),
    contender,
    reference,
  };
}

function summarize(samples: Sample[]): Summary {
  const cpu = samples.map((sample) => sample.cpu).filter((value) => value !== undefined);
  return {
    throughput: median(samples.map(({ throughput }) => throughput)),
    bestThroughput: best(samples.map(({ throughput }) => throughput)),
    p50: median(samples.map(({ p50 }) => p50)),
    p99: median(samples.map(({ p99 }) => p99)),
    cpu: cpu.length > 0 ? median(cpu) : undefined,
  };
}

/** One figure for an operation over all numbers of connections. */
export function overall(comparisons: Comparison[], pick: (comparison: Comparison) => number): number {
  return geometricMean(comparisons.map(pick));
}
