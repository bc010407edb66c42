import { Import } from '#src/imports/import.entity.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { lockPairs } from '#src/ledger/lock-pairs.ts';

export interface UndoneImport {
  /** Entries taken out. */
  entries: number;
  /** Pairs (pending, confirmed, rejected) that went with them. */
  transfers: number;
}

/**
 * Takes out every entry of one import. The other sides of confirmed transfers get back the kind they had. Throws
 * `not_found`, and `conflict` when it is undone already.
 */
export async function undoImport(
  work: Work,
  { familyId, id }: { familyId: string; id: string },
): Promise<UndoneImport> {
  await lockPairs(work, familyId);
  const record = isUuid(id) ? await work.em.findOne(Import, { familyId, id }) : null;
  if (!record) {
    throw new AppError('not_found', `No import has the id "${id}"`, {
      hint: 'financectl import list shows them all.',
    });
  }
  if (record.undoneAt) throw new AppError('conflict', `The import of ${record.fileName} is already undone`);

  const transfers = await releasePairs(work, record);
  const entries = await deleteEntries(work, record);
  record.undoneAt = work.now();
  await work.em.flush();
  return { entries, transfers };
}

async function deleteEntries(work: Work, { familyId, id }: Import): Promise<number> {
  const [row] = await work.sql<{ deleted: string }>(
    `with gone as (delete from entries where family_id = $1 and import_id = $2 returning 1)
     select count(*) as deleted from gone`,
    [familyId, id],
  );
  return Number(row?.deleted);
}

async function releasePairs(work: Work, { familyId, id }: Import): Promise<number> {
  const [row] = await work.sql<{ released: string }>(
    `with gone as materialized (
       select t.id from transactions t join entries e on e.family_id = t.family_id and e.id = t.entry_id
       where e.family_id = $1 and e.import_id = $2
     ), touched as (
       delete from transfers
       where family_id = $1 and (inflow_transaction_id in (select id from gone)
         or outflow_transaction_id in (select id from gone))
       returning inflow_transaction_id, inflow_kind_before, outflow_transaction_id, outflow_kind_before
     ), refused as (
       delete from rejected_transfers
       where family_id = $1 and (inflow_transaction_id in (select id from gone)
         or outflow_transaction_id in (select id from gone))
       returning id
     ), restored as (
       update transactions t set kind = before.kind, updated_at = $3
       from (
         select inflow_transaction_id as id, inflow_kind_before as kind from touched
         union all
         select outflow_transaction_id, outflow_kind_before from touched
       ) before
       where t.family_id = $1 and t.id = before.id and before.kind is not null
     )
     select (select count(*) from touched) + (select count(*) from refused) as released`,
    [familyId, id, work.now()],
  );
  return Number(row?.released);
}
