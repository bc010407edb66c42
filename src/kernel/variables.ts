import { readFileSync } from 'node:fs';

/** The environment as a file may refer to it: looked up by name, never listed or printed. */
export class Variables {
  readonly #values: Readonly<Record<string, string | undefined>>;

  constructor(values: Readonly<Record<string, string | undefined>>) {
    this.#values = values;
  }

  /** Empty counts as unset. What NAME does not hold may stand in the file that NAME_FILE names. */
  find(name: string): string | undefined {
    const direct = this.#values[name]?.trim() || undefined;
    const file = this.#values[`${name}_FILE`]?.trim() || undefined;
    return direct ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim() || undefined);
  }
}
