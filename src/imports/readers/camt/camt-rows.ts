import {
  amountAt,
  type CamtEntry,
  type CamtValues,
  dateAt,
  directionOf,
} from '#src/imports/readers/camt/camt-entry.ts';
import { describe } from '#src/imports/readers/camt/describe-entry.ts';
import { splitEntry } from '#src/imports/readers/camt/split-entry.ts';
import { UsedReferences } from '#src/imports/readers/camt/used-references.ts';
import { cleanLabel } from '#src/imports/readers/clean-text.ts';
import type { StatementBatch, StatementRow } from '#src/imports/readers/statement.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';

/** Not booked: pending, for information, in future. */
const UNBOOKED = ['PDNG', 'INFO', 'FUTR'];
const PLACEHOLDER = /^(?:nonref|not ?provided|unknown|none|null|n\/a|0+|-+)$/i;

/** Turns the entries of a file into rows, problems and notices. */
export class CamtRows {
  readonly #currency: string;
  readonly #used = new UsedReferences();
  #unbooked = 0;
  #firstUnbooked = 1;

  constructor(currency: string) {
    this.#currency = currency;
  }

  add(batch: StatementBatch, entry: CamtEntry, accountHint: string | null): void {
    const { line, column } = entry;
    try {
      if (this.#isBooked(entry)) this.#addRows(batch, entry, accountHint);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      batch.problems.push({ line, column, message: error.message });
    }
  }

  finish(batch: StatementBatch): void {
    if (this.#unbooked === 0) return;
    const message =
      this.#unbooked === 1
        ? 'an entry that is not booked yet was left out'
        : `${this.#unbooked} entries that are not booked yet were left out; this is the first`;
    batch.notices.push({ line: this.#firstUnbooked, message });
  }

  #isBooked({ line, values }: CamtEntry): boolean {
    const status = values.get('Sts/Cd') ?? values.get('Sts') ?? values.get('Sts/Prtry') ?? 'BOOK';
    if (status === 'BOOK') return true;
    if (!UNBOOKED.includes(status))
      throw invalid([`status ${JSON.stringify(status.slice(0, 60))} is not known`]);
    if (this.#unbooked === 0) this.#firstUnbooked = line;
    this.#unbooked += 1;
    return false;
  }

  #addRows(batch: StatementBatch, entry: CamtEntry, accountHint: string | null): void {
    const { line, column, values, details } = entry;
    const currency = this.#currency;
    const direction = directionOf(values);
    if (direction === undefined) throw invalid(['the entry has no CdtDbtInd']);
    const date = dateAt(values, 'BookgDt') ?? dateAt(values, 'ValDt');
    if (date === undefined) throw invalid(['the entry has neither BookgDt nor ValDt']);
    const total = amountAt(values, 'Amt', { currency, direction });

    const parts = splitEntry(details, { total, currency, direction });
    for (const [index, part] of parts.entries()) {
      const { name, notes } = describe(part, { entry, date });
      const reference = referenceOf(part.details, values, parts.length > 1 ? index + 1 : 0);
      const row: StatementRow = {
        line,
        date,
        amountCents: part.minorUnits,
        currency,
        name,
        notes,
        externalId: reference,
        category: null,
        merchant: null,
        tags: [],
        accountHint,
      };
      if (reference !== null && !this.#used.isFree(reference, row)) row.externalId = null;
      batch.rows.push(row);
    }
    if (total.rounded) {
      batch.notices.push({ line, column, message: `Amt ${values.get('Amt')} was rounded to ${currency}` });
    }
  }
}

/**
 * What the account servicer calls the transaction; of a part of an entry without a reference of its own the entry's
 * with its number. NtryRef and EndToEndId come from others, or begin anew with each statement, and tell nothing apart.
 */
function referenceOf(details: readonly CamtValues[], entry: CamtValues, part: number): string | null {
  const own = details.length === 1 ? cleanReference(details[0]?.get('Refs/AcctSvcrRef')) : null;
  const whole = cleanReference(entry.get('AcctSvcrRef'));
  if (part === 0) return whole ?? own;
  if (own !== null && own !== whole) return own;
  return whole === null ? null : `${whole}/${part}`;
}

function cleanReference(text: string | undefined): string | null {
  return text === undefined || PLACEHOLDER.test(text) ? null : cleanLabel(text);
}
