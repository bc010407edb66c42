import { invalid } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/new-id.ts';
import type { Work } from '#src/kernel/work.ts';
import {
  choosePairs,
  MANUAL_WINDOW_DAYS,
  MATCHING_WINDOW_DAYS,
  type Pair,
} from '#src/ledger/choose-pairs.ts';
import { findFamily } from '#src/ledger/find-family.ts';
import { listTransfers } from '#src/ledger/list-transfers.ts';
import { lockPairs } from '#src/ledger/lock-pairs.ts';
import { keyOf, type Pending, readCandidates, readPending, readRejected } from '#src/ledger/read-matching.ts';
import type { TransferView } from '#src/ledger/views.ts';

export interface MatchRequest {
  familyId: string;
  /** How far apart the two days of a pair may be; from 1 to 30, default 4. */
  windowDays?: number | undefined;
}

export interface Matching {
  /** False: the family has automatic matching turned off, and nothing was looked for. */
  enabled: boolean;
  /** Pairs proposed by this run. */
  proposed: number;
  /** Earlier proposals that a nearer pair has replaced. */
  superseded: number;
  /** Everything that waits for a decision now. */
  pending: TransferView[];
}

/**
 * Proposes transfers among all transactions of a family that are in no confirmed transfer. Proposals follow
 * from the data alone: running it again changes nothing, and a nearer pair that turns up later takes the place
 * of a proposal nobody has decided on. Proposals that an earlier, wider window has found stay until then. Kinds and
 * categories stay as they are.
 */
export async function matchTransfers(
  work: Work,
  { familyId, windowDays = MATCHING_WINDOW_DAYS }: MatchRequest,
): Promise<Matching> {
  requireWindow(windowDays);
  const family = await findFamily(work, familyId);
  if (!family.transferMatching) {
    return { enabled: false, proposed: 0, superseded: 0, pending: await listPending(work, familyId) };
  }
  await lockPairs(work, familyId);

  const rejected = await readRejected(work, familyId);
  const chosen = choosePairs(
    await readCandidates(work, familyId, windowDays),
    (pair) => rejected.has(keyOf(pair)),
    windowDays,
  );
  const wanted = new Set(chosen.map(keyOf));
  const pending = await readPending(work, familyId);
  const taken = new Set(chosen.flatMap(sidesOf));

  const isInReach = (pair: Pending) => pair.days <= windowDays || sidesOf(pair).some((id) => taken.has(id));
  const superseded = pending
    .filter((pair) => !wanted.has(keyOf(pair)) && isInReach(pair))
    .map(({ id }) => id);
  const known = new Set(pending.map(keyOf));
  const proposed = chosen.filter((pair) => !known.has(keyOf(pair)));
  await deletePending(work, familyId, superseded);
  await insertPending(work, familyId, proposed);
  return {
    enabled: true,
    proposed: proposed.length,
    superseded: superseded.length,
    pending: await listPending(work, familyId),
  };
}

function listPending(work: Work, familyId: string): Promise<TransferView[]> {
  return listTransfers(work, { familyId, status: 'pending' });
}

function sidesOf({ inflowTransactionId, outflowTransactionId }: Pair): string[] {
  return [inflowTransactionId, outflowTransactionId];
}

function requireWindow(days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= MANUAL_WINDOW_DAYS) return;
  throw invalid([`the window must be from 1 to ${MANUAL_WINDOW_DAYS} days`]);
}

async function deletePending(work: Work, familyId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await work.sql('delete from transfers where family_id = $1 and id = any($2::uuid[])', [familyId, ids]);
}

async function insertPending(work: Work, familyId: string, pairs: Pair[]): Promise<void> {
  if (pairs.length === 0) return;
  await work.sql(
    `insert into transfers
       (family_id, id, inflow_transaction_id, outflow_transaction_id, status, created_at, updated_at)
     select $1, p.id, p.inflow, p.outflow, 'pending', $2, $2
     from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as p (id, inflow, outflow)`,
    [
      familyId,
      work.now(),
      pairs.map(() => newId()),
      pairs.map(({ inflowTransactionId }) => inflowTransactionId),
      pairs.map(({ outflowTransactionId }) => outflowTransactionId),
    ],
  );
}
