import type { ParsedUrlQuery } from 'node:querystring';
import { isCalendarDate } from '#src/http/api/calendar-date.ts';
import { isUuid } from '#src/kernel/uuid.ts';

const MAX_SEARCH = 200;

/** The value to filter by, undefined for none, or what is wrong with the text. */
type Parse = (text: string) => { value?: string; problem?: string };

export const uuid: Parse = (text) =>
  isUuid(text) ? { value: text } : { problem: 'must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057' };

export const date: Parse = (text) =>
  isCalendarDate(text) ? { value: text } : { problem: 'must be an existing date written YYYY-MM-DD' };

export const search: Parse = (text) => {
  const value = text.trim();
  if (value.includes('\0')) return { problem: 'must not contain NUL characters' };
  if (value.length > MAX_SEARCH && Array.from(value).length > MAX_SEARCH) {
    return { problem: `must not be longer than ${MAX_SEARCH} characters` };
  }
  return value === '' ? {} : { value };
};

export interface Filters<Name extends string> {
  values: { [name in Name]?: string };
  /** Each names its parameter. */
  problems: string[];
}

/** Reads the filters of a list from its query. Empty counts as not given; parameters it does not know are ignored. */
export function readFilters<Name extends string>(
  query: ParsedUrlQuery,
  parsers: Readonly<Record<Name, Parse>>,
): Filters<Name> {
  const filters: Filters<Name> = { values: {}, problems: [] };
  for (const name in parsers) {
    const given = query[name];
    if (given === undefined || given === '') continue;
    const { value, problem } =
      typeof given === 'string' ? parsers[name](given) : { problem: 'must be given only once' };
    if (problem !== undefined) filters.problems.push(`${name} ${problem}`);
    else if (value !== undefined) filters.values[name] = value;
  }
  return filters;
}
