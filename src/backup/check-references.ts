import type { ClientBase } from 'pg';
import { AppError } from '#src/kernel/errors.ts';

interface Reference {
  name: string;
  /** A query that finds a row that refers to nothing. */
  query: string;
}

/** One query for each foreign key of the schema, written by the database itself, from its catalog. */
const REFERENCES = `
  select k.conname::text as name, format(
    'select 1 from %s c where %s and not exists (select 1 from %s p where %s) limit 1',
    k.conrelid::regclass,
    (select string_agg(format('c.%I is not null', a.attname), ' and ')
       from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any (k.conkey)),
    k.confrelid::regclass,
    (select string_agg(format('p.%I = c.%I', p.attname, c.attname), ' and ')
       from unnest(k.conkey, k.confkey) as pair (child, parent)
       join pg_attribute c on c.attrelid = k.conrelid and c.attnum = pair.child
       join pg_attribute p on p.attrelid = k.confrelid and p.attnum = pair.parent)
  ) as query
  from pg_constraint k
  where k.contype = 'f' and k.connamespace = current_schema()::regnamespace and k.conparentid = 0
  order by 1`;

/** Looks for rows that refer to something that is not there, which loading without triggers lets through. */
export async function checkReferences(client: ClientBase): Promise<void> {
  const { rows: references } = await client.query<Reference>(REFERENCES);
  for (const { name, query } of references) {
    const { rows } = await client.query(query);
    if (rows.length > 0) {
      throw new AppError('validation_failed', `The backup does not fit together: ${name} does not hold`, {
        hint: 'Use another backup. Nothing was changed.',
      });
    }
  }
}
