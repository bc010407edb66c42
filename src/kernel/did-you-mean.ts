/** Edits beyond which two words are not taken for each other. */
const FARTHEST = 2;
/** A list that is longer than this helps nobody. */
const LONGEST_LIST = 20;

/** Those of `known` that `word` may be a slip of, the closest alone where one is closer than the others. */
export function similarTo(word: string, known: Iterable<string>, farthest = FARTHEST): string[] {
  const wanted = word.toLowerCase();
  let closest = Math.min(farthest, Math.floor(wanted.length / 2));
  let similar: string[] = [];
  for (const name of new Set(known)) {
    const distance = editDistance(wanted, name.toLowerCase(), closest);
    if (distance > closest) continue;
    if (distance < closest) similar = [];
    closest = distance;
    similar.push(name);
  }
  return similar.sort().slice(0, 3);
}

/** `Did you mean okta? Known: …`, as far as there is something to say. Undefined: nothing is known at all. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const list = known.slice(0, LONGEST_LIST).join(', ');
  const more = known.length > LONGEST_LIST ? ` and ${known.length - LONGEST_LIST} more` : '';
  return [guess(similarTo(word, known)), `Known: ${list}${more}.`].filter(Boolean).join(' ');
}

/** `Did you mean okta?`; nothing when there is nothing similar. */
export function guess(similar: readonly string[]): string {
  return similar.length > 0 ? `Did you mean ${similar.join(' or ')}?` : '';
}

/**
 * Characters to insert, leave out, replace or swap with their neighbour to come from one word to the other (optimal
 * string alignment). Anything above `limit` stands for more than that.
 */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let [beforeLast, last]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

function at(row: readonly number[] | undefined, index: number): number {
  return row?.[index] ?? Number.POSITIVE_INFINITY;
}
