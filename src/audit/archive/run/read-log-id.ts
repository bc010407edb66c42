import type { Sql } from '#src/kernel/sql-on.ts';

/** Which audit log this is. A backup of the database keeps it, another database has another. */
export async function readLogId(db: Sql): Promise<string> {
  const [row] = await db.sql<{ id: string }>('select id from audit_log_identity');
  if (!row) throw new Error('audit_log_identity has no row');
  return row.id;
}
