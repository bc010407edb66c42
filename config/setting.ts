export interface Setting<T> {
  /** The value, or undefined when the text is none. */
  parse: (text: string) => T | undefined;
  /** Completes the sentence "NAME must be …" when a value is refused. */
  expects: string;
  /** What the setting does and its default, for people. */
  about: string;
  /** Secrets are never printed and may come from the file that NAME_FILE names. */
  secret?: true;
}
