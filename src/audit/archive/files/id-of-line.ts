import { isUuid } from '#src/kernel/uuid.ts';

const START = '{"id":"';

/** How much of a line tells its id. */
export const ID_END = START.length + 36;

/** The id of an archived event, which stands first in its line. Throws when it does not. */
export function idOfLine(line: string): string {
  const id = line.slice(START.length, ID_END);
  if (!line.startsWith(START) || !isUuid(id)) throw new Error('not a line of an archive');
  return id;
}
