import type { Work } from '#src/kernel/work.ts';
import type { Candidate, Pair } from '#src/ledger/choose-pairs.ts';

/** A pair as one text, to compare it by. */
export function keyOf({ inflowTransactionId, outflowTransactionId }: Pair): string {
  return `${inflowTransactionId} ${outflowTransactionId}`;
}

/** Every transaction that has an opposite in reach; those in confirmed transfers are out. */
export async function readCandidates(work: Work, familyId: string, windowDays: number): Promise<Candidate[]> {
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
           and o.date between e.date - $2::integer and e.date + $2::integer)
       and not exists (
         select 1 from transfers c
         where c.family_id = $1 and c.inflow_transaction_id = t.id and c.status = 'confirmed')
       and not exists (
         select 1 from transfers c
         where c.family_id = $1 and c.outflow_transaction_id = t.id and c.status = 'confirmed')`,
    [familyId, windowDays],
  );
  return rows.map((row) => ({
    transactionId: row.id,
    accountId: row.account_id,
    day: row.day,
    amountCents: Number(row.amount_cents),
    currency: row.currency,
  }));
}

/** The keys of rejected pairs. */
export async function readRejected(work: Work, familyId: string): Promise<Set<string>> {
  const rows = await work.sql<Pair>(
    `select inflow_transaction_id as "inflowTransactionId", outflow_transaction_id as "outflowTransactionId"
     from rejected_transfers where family_id = $1`,
    [familyId],
  );
  return new Set(rows.map(keyOf));
}

export interface Pending extends Pair {
  id: string;
  /** Between its two sides. */
  days: number;
}

export async function readPending(work: Work, familyId: string): Promise<Pending[]> {
  return work.sql<Pending>(
    `select p.id, p.inflow_transaction_id as "inflowTransactionId",
       p.outflow_transaction_id as "outflowTransactionId", abs(ie.date - oe.date) as days
     from transfers p
     join transactions i on i.family_id = p.family_id and i.id = p.inflow_transaction_id
     join entries ie on ie.family_id = i.family_id and ie.id = i.entry_id
     join transactions o on o.family_id = p.family_id and o.id = p.outflow_transaction_id
     join entries oe on oe.family_id = o.family_id and oe.id = o.entry_id
     where p.family_id = $1 and p.status = 'pending'`,
    [familyId],
  );
}
