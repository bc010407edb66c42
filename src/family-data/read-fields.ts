import { hash } from 'node:crypto';
import { realDate } from '#src/imports/readers/parse-date.ts';
import { invalid } from '#src/kernel/errors.ts';
import { stripUnsafe } from '#src/kernel/safe-text.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import { parseAmount } from '#src/ledger/parse-amount.ts';

/** What stands under `data` in a record. Every reader below throws `validation_failed` for what cannot be stored. */
export type Data = Readonly<Record<string, unknown>>;

/** What belongs to what: ids of one kind never meet those of another. */
export type IdKind = 'account' | 'category' | 'tag' | 'merchant' | 'transaction' | 'entry' | 'pair';

const LONGEST_ID = 255;
const MOST_IDS = 1_000;
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Whether the key is there and says something. */
export function says(data: Data, key: string): boolean {
  const value = data[key];
  return value !== undefined && value !== null && value !== '';
}

/** One line; `longest` in characters. */
export function readText(data: Data, key: string, longest: number): string {
  const text = readOptionalText(data, key, longest);
  if (text === null) throw invalid([`${key} is missing`]);
  return text;
}

export function readOptionalText(data: Data, key: string, longest: number): string | null {
  const text = textOf(data, key);
  if (text === null) return null;
  return bounded(key, stripUnsafe(text).trim(), longest);
}

/** As readOptionalText, but line breaks stay. */
export function readLines(data: Data, key: string, longest: number): string | null {
  const text = textOf(data, key);
  if (text === null) return null;
  return bounded(
    key,
    text
      .split(/\r\n?|\n/)
      .map(stripUnsafe)
      .join('\n')
      .trim(),
    longest,
  );
}

export function readChoice<const Choice extends string>(
  data: Data,
  key: string,
  choices: readonly Choice[],
): Choice | null {
  const text = textOf(data, key);
  if (text === null) return null;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw invalid([`${key} is ${shown(text)}, not one of ${choices.join(', ')}`]);
  return choice;
}

export function readId(data: Data, key: string, kind: IdKind): string {
  const id = readOptionalId(data, key, kind);
  if (id === null) throw invalid([`${key} is missing`]);
  return id;
}

/** A UUID as it is; any other id as a UUID that always follows from it, so that it is known again. */
export function readOptionalId(data: Data, key: string, kind: IdKind): string | null {
  const text = textOf(data, key);
  if (text === null) return null;
  return toUuid(key, text, kind);
}

export function readIds(data: Data, key: string, kind: IdKind): string[] {
  const value = data[key] ?? [];
  if (!Array.isArray(value)) throw invalid([`${key} is no list`]);
  if (value.length > MOST_IDS) throw invalid([`${key} has more than ${MOST_IDS} ids`]);
  const ids = value.map((item: unknown) => {
    if (typeof item !== 'string' || item === '') throw invalid([`${key} holds something that is no id`]);
    return toUuid(key, item, kind);
  });
  return [...new Set(ids)];
}

/** ISO 8601 with a zone; null when it is missing. */
export function readMoment(data: Data, key: string): string | null {
  const text = textOf(data, key);
  if (text === null) return null;
  const [, year, month, day] = MOMENT.exec(text) ?? [];
  const moment = new Date(text);
  if (!realDate(Number(year), Number(month), Number(day)) || Number.isNaN(moment.getTime())) {
    throw invalid([`${key} is ${shown(text)}, not a time such as 2026-01-31T12:00:00Z`]);
  }
  return moment.toISOString();
}

/** `YYYY-MM-DD`. */
export function readDay(data: Data, key: string): string {
  const text = textOf(data, key) ?? '';
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = realDate(Number(year), Number(month), Number(day));
  if (!date) throw invalid([`${key} is ${shown(text)}, not a date such as 2026-01-31`]);
  return date;
}

/** Minor units, and whether digits were rounded away. A number is taken as the shortest decimal that is equal to it. */
export function readAmount(data: Data, key: string, currency: string): ReturnType<typeof parseAmount> {
  const value = data[key];
  const text = typeof value === 'number' ? String(value) : (textOf(data, key) ?? '');
  if (typeof value === 'number' && text.replace(/\D/g, '').length > 15) {
    throw invalid([`${key} has more digits than a JSON number keeps; write it in quotes`]);
  }
  if (!/^-?\d{1,40}(?:\.\d{1,40})?$/.test(text)) {
    throw invalid([`${key} is ${shown(text)}, not a decimal number`]);
  }
  return parseAmount(text, { decimal: '.', currency });
}

function textOf(data: Data, key: string): string | null {
  if (!says(data, key)) return null;
  const value = data[key];
  if (typeof value !== 'string') throw invalid([`${key} is no text`]);
  // PostgreSQL stores no half of a surrogate pair.
  if (!value.isWellFormed()) throw invalid([`${key} holds a broken character`]);
  return value;
}

function bounded(key: string, text: string, longest: number): string | null {
  if (text === '') return null;
  if (text.length > longest && Array.from(text).length > longest) {
    throw invalid([`${key} has more than ${longest} characters`]);
  }
  return text;
}

function toUuid(key: string, text: string, kind: IdKind): string {
  if (isUuid(text)) return text.toLowerCase();
  if (text.length > LONGEST_ID) throw invalid([`${key} has more than ${LONGEST_ID} characters`]);
  const digest = hash('sha256', `${kind}:${text}`);
  // RFC 9562, section 5.8: version 8, variant 10.
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
