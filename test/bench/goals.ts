import { type Comparison, overall } from '#test/bench/duel.ts';
import type { Goal } from '#test/bench/section.ts';

export interface Bounds {
  /** Over all numbers of connections. */
  goal: number;
  /** For each of them. */
  limit: number;
}

/** As good as the reference is 1, more is better. By CPU where it is known, because other load hardly moves it. */
export function thrift({ cpu, throughput }: Comparison): number {
  return cpu ?? throughput;
}

/** What the throughput of one operation ought to be; `what` says in relation to what. */
export function throughputGoals(what: string, comparisons: Comparison[], { goal, limit }: Bounds): Goal[] {
  const lowest = Math.min(...comparisons.map(({ throughput }) => throughput));
  const measured = overall(comparisons, ({ throughput }) => throughput);
  return [
    { what, measured, bound: 'least', goal },
    { what: `${what}, lowest`, measured: lowest, bound: 'least', goal: limit },
  ];
}
