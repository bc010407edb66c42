const MAX_NAME = 500;
const MAX_NOTES = 10_000;
// Controls, odd spaces and invisible formatting (direction overrides among them) have no place in a one-line text.
const UNTIDY = /^\s|\s$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u2000-\u200a\u202f]|\s\s/u;

/** One line, no control characters, single spaces, at most 500 characters. */
export function cleanName(text: string): string {
  const tidy = UNTIDY.test(text) ? tidied(text) : text;
  return tidy.length > MAX_NAME ? cut(tidy, MAX_NAME) : tidy;
}

/** As cleanName, but line breaks stay, up to 10,000 characters; null when nothing is left. */
export function cleanNotes(text: string): string | null {
  if (text === '') return null;
  if (!UNTIDY.test(text)) return text.length > MAX_NOTES ? cut(text, MAX_NOTES) : text;
  const lines = text.split(/\r\n|\r|\n|\u2028|\u2029/).map(tidied);
  const notes = lines.join('\n').trim();
  return notes === '' ? null : cut(notes, MAX_NOTES);
}

/** cleanName, or null when nothing is left. */
export function cleanLabel(text: string): string | null {
  return text === '' ? null : cleanName(text) || null;
}

function tidied(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Never through the middle of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return text.slice(0, end).trimEnd();
}
