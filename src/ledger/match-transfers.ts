import { newId } from '#src/kernel/new-id.ts';
import type { Work } from '#src/kernel/work.ts';
import { type Candidate, choosePairs, MATCHING_WINDOW_DAYS, type Pair } from '#src/ledger/choose-pairs.ts';
import { findFamily } from '#src/ledger/find-family.ts';
import { listTransfers } from '#src/ledger/list-transfers.ts';
import { lockPairs } from '#src/ledger/lock-pairs.ts';
import type { TransferView } from '#src/ledger/views.ts';

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
 * of a proposal nobody has decided on. Kinds and categories stay as they are.
 */
export async function matchTransfers(work: Work, { familyId }: { familyId: string }): Promise<Matching> {
  const family = await findFamily(work, familyId);
  if (!family.transferMatching) {
    return { enabled: false, proposed: 0, superseded: 0, pending: await listPending(work, familyId) };
  }
  await lockPairs(work, familyId);

  const rejected = await readPairs(work, 'select * from rejected_transfers where family_id = $1', familyId);
  const chosen = choosePairs(await readCandidates(work, familyId), (pair) => rejected.has(keyOf(pair)));
  const wanted = new Set(chosen.map(keyOf));
  const pending = await readPairs(
    work,
    `select * from transfers where family_id = $1 and status = 'pending'`,
    familyId,
  );

  const superseded = [...pending].filter(([key]) => !wanted.has(key)).map(([, id]) => id);
  const proposed = chosen.filter((pair) => !pending.has(keyOf(pair)));
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

function keyOf({ inflowTransactionId, outflowTransactionId }: Pair): string {
  return `${inflowTransactionId} ${outflowTransactionId}`;
}

/** Every transaction that has an opposite in reach; those in confirmed transfers are out. */
async function readCandidates(work: Work, familyId: string): Promise<Candidate[]> {
  const rows = await work.sql<
    Record<'id' | 'account_id' | 'amount_cents' | 'currency', string> & { day: number }
  >(
    `select t.id, e.account_id, e.date - date '2000-01-01' as day, e.amount_cents, e.currency
     from entries e
     join lateral (
       select id from transactions where family_id = e.family_id and entry_id = e.id limit 1
     ) t on true
     where e.family_id = $1 and e.amount_cents <> 0
       and e.account_id in (select id from accounts where family_id = $1 and status in ('draft', 'active'))
       and exists (
         select 1 from entries o
         where o.family_id = $1 and o.amount_cents = -e.amount_cents and o.currency = e.currency
           and o.account_id <> e.account_id
           and o.date between e.date - ${MATCHING_WINDOW_DAYS} and e.date + ${MATCHING_WINDOW_DAYS})
       and not exists (
         select 1 from transfers c
         where c.family_id = $1 and c.inflow_transaction_id = t.id and c.status = 'confirmed')
       and not exists (
         select 1 from transfers c
         where c.family_id = $1 and c.outflow_transaction_id = t.id and c.status = 'confirmed')`,
    [familyId],
  );
  return rows.map((row) => ({
    transactionId: row.id,
    accountId: row.account_id,
    day: row.day,
    amountCents: Number(row.amount_cents),
    currency: row.currency,
  }));
}

/** Pair → id. */
async function readPairs(work: Work, pairs: string, familyId: string): Promise<Map<string, string>> {
  const rows = await work.sql<Pair & { id: string }>(
    `select p.id, p.inflow_transaction_id as "inflowTransactionId", p.outflow_transaction_id as "outflowTransactionId"
     from (${pairs}) p`,
    [familyId],
  );
  return new Map(rows.map((row) => [keyOf(row), row.id]));
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
