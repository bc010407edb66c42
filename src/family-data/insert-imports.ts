import { newId } from '#src/kernel/new-id.ts';
import type { Work } from '#src/kernel/work.ts';

interface Received {
  account_id: string;
  added: number;
  present: number;
  rejected: number;
}

/** Makes an import for each account that gets transactions, so that it is listed and can be undone. */
export async function insertImports(
  work: Work,
  familyId: string,
  fileName: string,
): Promise<{ importIds: string[]; added: number }> {
  const received = await work.sql<Received>(
    `select account_id, count(*) filter (where fate = 'added')::integer as added,
       count(*) filter (where fate in ('present', 'conflict'))::integer as present,
       count(*) filter (where fate = 'rejected')::integer as rejected
     from staged_transactions group by account_id having bool_or(fate = 'added') order by min(line)`,
  );
  const importIds = received.map(() => newId());
  await work.sql(
    `insert into imports (family_id, id, account_id, file_name, source, imported_count, duplicate_count,
       rejected_count, created_at)
     select $1, made.id, made.account_id, $2, 'sure', made.added, made.present, made.rejected, $3
     from unnest($4::uuid[], $5::uuid[], $6::integer[], $7::integer[], $8::integer[])
       as made (id, account_id, added, present, rejected)`,
    [
      familyId,
      fileName,
      work.now(),
      importIds,
      received.map(({ account_id }) => account_id),
      received.map(({ added }) => added),
      received.map(({ present }) => present),
      received.map(({ rejected }) => rejected),
    ],
  );
  return { importIds, added: received.reduce((sum, { added }) => sum + added, 0) };
}
