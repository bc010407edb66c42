import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Candidate, choosePairs, MATCHING_WINDOW_DAYS, type Pair } from '#src/ledger/choose-pairs.ts';

const candidates = fc.uniqueArray(
  fc.record({
    transactionId: fc.string({ minLength: 1, maxLength: 4 }),
    accountId: fc.constantFrom('a', 'b', 'c'),
    day: fc.integer({ min: 0, max: 12 }),
    amountCents: fc.constantFrom(-200, -100, 100, 200),
    currency: fc.constantFrom('EUR', 'USD'),
  }),
  { selector: ({ transactionId }) => transactionId, maxLength: 40 },
);

/** The rule as it is written: every possible pair, nearest first, ties by id, each transaction once. */
function slowly(
  all: readonly Candidate[],
  isRejected: (pair: Pair) => boolean,
  windowDays: number = MATCHING_WINDOW_DAYS,
): Pair[] {
  const possible = all
    .flatMap((inflow) =>
      all.map((outflow) => ({ inflow, outflow, days: Math.abs(inflow.day - outflow.day) })),
    )
    .filter(
      ({ inflow, outflow, days }) =>
        inflow.amountCents < 0 &&
        inflow.amountCents === -outflow.amountCents &&
        inflow.currency === outflow.currency &&
        inflow.accountId !== outflow.accountId &&
        days <= windowDays,
    )
    .map(({ inflow, outflow, days }) => ({
      days,
      inflowTransactionId: inflow.transactionId,
      outflowTransactionId: outflow.transactionId,
    }))
    .filter((pair) => !isRejected(pair))
    .toSorted((a, b) => a.days - b.days || order(keyOf(a), keyOf(b)));
  const used = new Set<string>();
  return possible.flatMap(({ inflowTransactionId, outflowTransactionId }) => {
    if (used.has(inflowTransactionId) || used.has(outflowTransactionId)) return [];
    used.add(inflowTransactionId).add(outflowTransactionId);
    return [{ inflowTransactionId, outflowTransactionId }];
  });
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const keyOf = (pair: Pair) => `${pair.inflowTransactionId}\u0000${pair.outflowTransactionId}`;
const sorted = (pairs: Pair[]) => pairs.map(keyOf).toSorted();

test('chooses exactly the pairs the rule gives, for any ledger and any rejections', () => {
  fc.assert(
    fc.property(candidates, fc.integer({ min: 1, max: 5 }), (all, every) => {
      const isRejected = (pair: Pair) => (keyOf(pair).length + keyOf(pair).charCodeAt(0)) % every === 1;

      expect(sorted(choosePairs(all, isRejected))).toEqual(sorted(slowly(all, isRejected)));
    }),
    { numRuns: 500 },
  );
});

test('looks as far as it is told', () => {
  fc.assert(
    fc.property(candidates, fc.integer({ min: 1, max: 12 }), (all, days) => {
      expect(sorted(choosePairs(all, () => false, days))).toEqual(sorted(slowly(all, () => false, days)));
    }),
    { numRuns: 200 },
  );
});

test('does not depend on the order the transactions come in', () => {
  fc.assert(
    fc.property(candidates, (all) => {
      expect(sorted(choosePairs(all.toReversed(), () => false))).toEqual(
        sorted(choosePairs(all, () => false)),
      );
    }),
  );
});
