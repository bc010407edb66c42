/** Automatic matching looks this many days around a transaction. */
export const MATCHING_WINDOW_DAYS = 4;

/** By hand a pair may be this many days apart. */
export const MANUAL_WINDOW_DAYS = 30;

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
 * ties by id, every transaction at most once, and never a pair that `isRejected` or is further apart than so many days.
 * Decisions: Transfers.
 */
export function choosePairs(
  candidates: readonly Candidate[],
  isRejected: (pair: Pair) => boolean,
  windowDays: number = MATCHING_WINDOW_DAYS,
): Pair[] {
  const groups = Map.groupBy(
    candidates,
    ({ currency, amountCents }) => `${currency} ${Math.abs(amountCents)}`,
  );
  return [...groups.values()].flatMap((group) => pairGroup(group, isRejected, windowDays));
}

function pairGroup(
  group: readonly Candidate[],
  isRejected: (pair: Pair) => boolean,
  windowDays: number,
): Pair[] {
  const byId = group.toSorted((a, b) => (a.transactionId < b.transactionId ? -1 : 1));
  const inflows = byId.filter(({ amountCents }) => amountCents < 0);
  const outflowsByDay = Map.groupBy(
    byId.filter(({ amountCents }) => amountCents > 0),
    ({ day }) => day,
  );
  const used = new Set<string>();
  const pairs: Pair[] = [];

  for (let distance = 0; distance <= windowDays; distance += 1) {
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
