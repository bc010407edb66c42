import type { Fields } from '#src/http/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { WebContext } from '#src/http/web/state.ts';

export interface Query {
  /** What is given and not empty, without surrounding blanks. */
  fields: Fields;
  /** What cannot be understood whatever it means. */
  problems: Problem[];
}

/** The named fields of a GET form; others are ignored. */
export function readQuery({ querystring }: WebContext, names: readonly string[]): Query {
  const given = new URLSearchParams(querystring);
  const fields = new Map<string, string>();
  const problems: Problem[] = [];
  for (const name of names) {
    const [value = '', ...more] = given.getAll(name).map((text) => text.trim());
    if (more.length > 0) problems.push({ message: `${name}: given more than once`, field: name });
    // PostgreSQL cannot keep NUL.
    else if (value.includes('\0')) problems.push({ message: `${name}: must be plain text`, field: name });
    else if (value !== '') fields.set(name, value);
  }
  return { fields, problems };
}

/** The path with these fields as its query, without those that are not given. */
export function withQuery(path: string, fields: Iterable<readonly [string, string | undefined]>): string {
  const query = new URLSearchParams();
  for (const [name, value] of fields) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
