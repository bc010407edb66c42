/** Automatic matching looks this many days around a transaction. */
export const MATCHING_WINDOW_DAYS = 4;

/** One transaction that might be a side of a transfer. */
export interface Candidate {
  transactionId: string;
  accountId: string;
  /** Days since any fixed day. */
  day: number;
  /** Minor units; negative for an inflow. */
  amountCents: number;
  currency: string;
}

export interface Pair {
  inflowTransactionId: string;
  outflowTransactionId: string;
}

/**
 * Pairs inflows with outflows of the same amount, currency and family but another account: nearest dates first,
 * ties by id, every transaction at most once, and never a pair that `isRejected`. Decisions: Transfers.
 */
export function choosePairs(candidates: readonly Candidate[], isRejected: (pair: Pair) => boolean): Pair[] {
  const groups = Map.groupBy(
    candidates,
    ({ currency, amountCents }) => `${currency} ${Math.abs(amountCents)}`,
  );
  return [...groups.values()].flatMap((group) => pairGroup(group, isRejected));
}

function pairGroup(group: readonly Candidate[], isRejected: (pair: Pair) => boolean): Pair[] {
  const byId = group.toSorted((a, b) => (a.transactionId < b.transactionId ? -1 : 1));
  const inflows = byId.filter(({ amountCents }) => amountCents < 0);
  const outflowsByDay = Map.groupBy(
    byId.filter(({ amountCents }) => amountCents > 0),
    ({ day }) => day,
  );
  const used = new Set<string>();
  const pairs: Pair[] = [];

  for (let distance = 0; distance <= MATCHING_WINDOW_DAYS; distance += 1) {
    for (const inflow of inflows) {
      if (used.has(inflow.transactionId)) continue;
      const outflow = firstFree(outflowsAt(outflowsByDay, inflow.day, distance), inflow, used, isRejected);
      if (!outflow) continue;
      used.add(inflow.transactionId).add(outflow.transactionId);
      pairs.push({ inflowTransactionId: inflow.transactionId, outflowTransactionId: outflow.transactionId });
    }
  }
  return pairs;
}

/** The outflows exactly `distance` days before or after `day`, by id. */
function outflowsAt(byDay: Map<number, Candidate[]>, day: number, distance: number): Candidate[] {
  const before = byDay.get(day - distance) ?? [];
  const after = byDay.get(day + distance) ?? [];
  if (distance === 0 || after.length === 0) return before;
  if (before.length === 0) return after;
  return [...before, ...after].toSorted((a, b) => (a.transactionId < b.transactionId ? -1 : 1));
}

function firstFree(
  outflows: readonly Candidate[],
  inflow: Candidate,
  used: ReadonlySet<string>,
  isRejected: (pair: Pair) => boolean,
): Candidate | undefined {
  return outflows.find(
    ({ transactionId, accountId }) =>
      accountId !== inflow.accountId &&
      !used.has(transactionId) &&
      !isRejected({ inflowTransactionId: inflow.transactionId, outflowTransactionId: transactionId }),
  );
}
