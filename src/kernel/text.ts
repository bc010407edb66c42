import { guess, similarTo } from '#src/kernel/did-you-mean.ts';
import { invalid } from '#src/kernel/errors.ts';
import { stripUnsafe } from '#src/kernel/safe-text.ts';

/** `value` without surrounding blanks; throws `validation_failed` when it is empty, too long or not plain text. */
export function requireText(what: string, value: string, maximum: number): string {
  const text = value.trim();
  if (text === '') throw invalid([`${what} must not be empty`]);
  if (text.length > maximum)
    throw invalid([`${what} must have at most ${maximum} characters, not ${text.length}`]);
  if (stripUnsafe(text) !== text) throw invalid([`${what} must not hold control characters`]);
  return text;
}

/** The one of `choices` that `value` names; throws `validation_failed` with all of them otherwise. */
export function requireOneOf<const Choice extends string>(
  what: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice !== undefined) return choice;
  const hint = guess(similarTo(value, choices));
  throw invalid([`${what} must be one of ${choices.join(', ')}, not "${value}"`], hint || undefined);
}
