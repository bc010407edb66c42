import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, ok, type Subject, warn } from '#src/doctor/check.ts';
import { sizeText } from '#src/doctor/sizes.ts';

interface Sizes {
  database: string;
  audit: string;
  /** PostgreSQL's own estimate, for counting takes long where it matters; -1 before it has made one. */
  auditRows: string;
  sessions: string;
}

const SIZES = `select pg_database_size(current_database()) as database,
  pg_total_relation_size('audit_events') as audit, pg_total_relation_size('sessions') as sessions,
  (select reltuples::bigint from pg_class where oid = 'audit_events'::regclass) as "auditRows"`;

const MANY_ROWS = 5_000_000;

export async function tables(subject: Subject): Promise<Finding> {
  const { sql } = await databaseOf(subject);
  const [sizes] = await sql<Sizes>(SIZES);
  if (!sizes) throw new Error('the database did not say how large it is');
  const rows = Number(sizes.auditRows);
  const entries = rows < 0 ? '' : ` (about ${rows} entries)`;
  const text = `database ${sizeText(Number(sizes.database))}; audit log ${sizeText(Number(sizes.audit))}${entries}; sessions ${sizeText(Number(sizes.sessions))}`;
  if (rows <= MANY_ROWS) return ok(text);
  return warn(text, 'Let financectl audit archive run every day: it takes old entries out of the database.');
}
