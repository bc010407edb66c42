/**
 * What must not reach a terminal from stored text: C0 and C1 controls (escape sequences among them), line and
 * paragraph separators, and the characters that reverse the direction of what follows.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line, everything unsafe written out as an escape a reader can see. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? escaped(character));
}

/** The text on one line without anything unsafe, for a record that must stay as it is wherever it is shown. */
export function stripUnsafe(text: string): string {
  return text.replace(UNSAFE, '');
}

/** As oneLine, but line breaks stay. */
export function lines(text: string): string {
  return text.split('\n').map(oneLine).join('\n');
}

/** JSON with everything unsafe as \uXXXX: the same document to a parser, harmless to a terminal. */
export function safeJson(value: unknown, indent?: number): string {
  return safeText(JSON.stringify(value, undefined, indent));
}

/** Everything unsafe as \uXXXX; line breaks stay. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' ? '\n' : escaped(character)));
}

export function isSafe(text: string): boolean {
  return stripUnsafe(text) === text;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
