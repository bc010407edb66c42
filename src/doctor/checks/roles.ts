import { Client } from 'pg';
import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, fail, ok, type Subject, warn } from '#src/doctor/check.ts';
import { connectionTo } from '#src/kernel/connection.ts';

interface Rights {
  role: string;
  isSuperuser: boolean;
  oid: string;
  /** Tables of ours that the role may not read and write. */
  closed: string[];
}

const RIGHTS = `select current_user as role, r.rolsuper as "isSuperuser",
    (select oid::text from pg_database where datname = current_database()) as oid,
    array(
      select t.tablename::text from pg_tables t
      where t.schemaname = current_schema() and t.tablename <> 'schema_migrations'
        and exists (select 1 from pg_tables o where o.schemaname = t.schemaname and o.tablename = 'schema_migrations')
        and not (has_table_privilege(format('%I.%I', t.schemaname, t.tablename), 'select')
          and has_table_privilege(format('%I.%I', t.schemaname, t.tablename), 'insert')
          and has_table_privilege(format('%I.%I', t.schemaname, t.tablename), 'update')
          and has_table_privilege(format('%I.%I', t.schemaname, t.tablename), 'delete'))
      order by t.tablename) as closed
  from pg_roles r where r.rolname = current_user`;

const GRANTS = 'ARCHITECTURE.md ("Two roles") lists the grants that the role in DATABASE_URL needs.';

/** Whether the role of DATABASE_URL may do what it must and no more, and that of MIGRATION_DATABASE_URL may migrate. */
export async function roles(subject: Subject): Promise<Finding[]> {
  const { sql } = await databaseOf(subject);
  const [rights] = await sql<Rights>(RIGHTS);
  if (!rights) throw new Error('the database did not say who we are');
  const { migrationUrl } = subject.config().database;
  const owner = migrationUrl === undefined ? [] : [await judgeOwner(migrationUrl, rights)];
  return [judgeRights(rights), ...owner];
}

function judgeRights({ role, isSuperuser, closed }: Rights): Finding {
  if (closed.length > 0) return fail(`${role} may not read and write: ${closed.join(', ')}`, GRANTS);
  if (!isSuperuser) return ok(`${role} may read and write every table`);
  return warn(
    `${role} is a superuser, who may do anything in every database`,
    'Let DATABASE_URL name an ordinary role that owns this database alone.',
  );
}

interface Owner {
  role: string;
  oid: string;
  mayCreate: boolean;
}

const OWNER = `select current_user as role,
    (select oid::text from pg_database where datname = current_database()) as oid,
    has_schema_privilege(current_schema(), 'create') as "mayCreate"`;

async function judgeOwner(url: string, { oid }: Rights): Promise<Finding> {
  const client = new Client({ ...connectionTo(url), connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Owner>(OWNER);
    const [owner] = rows;
    if (owner?.oid !== oid) {
      return fail(
        'MIGRATION_DATABASE_URL leads to another database than DATABASE_URL',
        'Correct one of the two.',
      );
    }
    if (owner.mayCreate) return ok(`${owner.role} may migrate`);
    return fail(
      `${owner.role} may not make tables`,
      'MIGRATION_DATABASE_URL must name the owner of the tables.',
    );
  } finally {
    await client.end();
  }
}
