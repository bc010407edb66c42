import type { StatementRow } from '#src/imports/readers/statement.ts';

type Known = Pick<StatementRow, 'date' | 'amountCents'>;

const MOST = 1_000;

/**
 * Some banks give a payment, its fee and its return one reference. Among the latest references this finds those that
 * meant something else before: such a row is known by its content, like rows without any.
 */
export class UsedReferences {
  readonly #rows = new Map<string, Known>();

  /** Whether the reference is new, or means the same as before. */
  isFree(reference: string, row: Known): boolean {
    const before = this.#rows.get(reference);
    if (before) return before.date === row.date && before.amountCents === row.amountCents;
    if (this.#rows.size >= MOST) this.#rows.clear();
    this.#rows.set(reference, row);
    return true;
  }
}
