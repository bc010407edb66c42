/** What comes from a form, a command line or a file: nothing about it is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with a field. Never repeats the value: it may be a secret. */
export interface Problem {
  field: string;
  message: string;
}

/** Reads fields one by one, each as what it should be, and remembers what is wrong with them. */
export class FieldReader {
  readonly problems: Problem[] = [];
  readonly #fields: Fields;
  readonly #known = new Set<string>();

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  report(field: string, message: string): void {
    this.problems.push({ field, message });
  }

  /** The raw value; empty text counts as none. */
  value(field: string): unknown {
    this.#known.add(field);
    const value = this.#fields[field];
    return value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value;
  }

  /** One line of text. */
  text(field: string, maximum = 200): string | undefined {
    const value = this.#plain(field);
    if (value === undefined) return undefined;
    if (value.length > maximum) this.report(field, `must have at most ${maximum} characters`);
    else if (/\p{Cc}/u.test(value)) this.report(field, 'must not hold control characters');
    else return value;
    return undefined;
  }

  required(field: string, maximum = 200): string {
    if (this.value(field) === undefined) this.report(field, 'must not be empty');
    return this.text(field, maximum) ?? '';
  }

  /** Text of several lines, such as PEM. */
  block(field: string): string | undefined {
    const value = this.#plain(field);
    if (value === undefined || value.length <= 20_000) return value;
    this.report(field, 'is too long');
    return undefined;
  }

  flag(field: string, otherwise: boolean): boolean {
    const value = this.value(field);
    if (value === undefined) return otherwise;
    if (typeof value === 'boolean') return value;
    const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
    if (text === 'true' || text === 'false') return text === 'true';
    this.report(field, 'must be true or false');
    return otherwise;
  }

  oneOf<const Choice extends string>(field: string, choices: readonly Choice[], otherwise: Choice): Choice {
    const value = this.#plain(field);
    if (value === undefined) return otherwise;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) this.report(field, `must be one of ${choices.join(', ')}`);
    return choice ?? otherwise;
  }

  /** Blank-separated words, or a list of them; every word once. */
  words(field: string, otherwise: readonly string[]): string[] {
    const value = this.value(field);
    if (value === undefined) return [...otherwise];
    const words: unknown[] = typeof value === 'string' ? value.trim().split(/\s+/) : [value].flat();
    const texts = words.filter((word) => typeof word === 'string');
    if (texts.length === words.length) return [...new Set(texts)];
    this.report(field, 'must be text, its words separated by blanks');
    return [...otherwise];
  }

  /** Fields that nobody has read: misspelt, or of another kind of provider. */
  unknown(): string[] {
    return Object.keys(this.#fields).filter(
      (field) => !this.#known.has(field) && this.#fields[field] !== undefined,
    );
  }

  /** Text as it is typed; numbers are what a file makes of text that looks like one. */
  #plain(field: string): string | undefined {
    const value = this.value(field);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return value.trim();
    if (typeof value === 'number') return String(value);
    this.report(field, 'must be text');
    return undefined;
  }
}

/** A plain object, as JSON and YAML have them. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
