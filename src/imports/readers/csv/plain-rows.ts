import type { AccountFilter } from '#src/imports/readers/account-filter.ts';
import { cleanLabel } from '#src/imports/readers/clean-text.ts';
import type { CsvLayout } from '#src/imports/readers/csv/csv-layout.ts';
import type { ValueStyle } from '#src/imports/readers/csv/detect-values.ts';
import { headerKey } from '#src/imports/readers/csv/field-names.ts';
import type { CsvRecord } from '#src/imports/readers/csv/parse-records.ts';
import { amountReader } from '#src/imports/readers/csv/read-amount.ts';
import { textReader } from '#src/imports/readers/csv/row-builder.ts';
import type { StatementBatch } from '#src/imports/readers/statement.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface RowTarget {
  layout: CsvLayout;
  style: ValueStyle;
  /** ISO 4217 code of the account. */
  currency: string;
  filter: AccountFilter;
}

/** Adds the record's row to the batch. Throws validation_failed when it has none. */
export type AddRecord = (record: CsvRecord, batch: StatementBatch) => void;

/** One line is one transaction of one account: every layout but Firefly III's. */
export function plainRows({ layout, style, currency, filter }: RowTarget): AddRecord {
  const readAmount = amountReader(layout, style, currency);
  const readTexts = textReader(layout, style.dateOrder);
  const account = layout.columns.get('account');
  const unit = layout.columns.get('currency');
  // Actual writes a split as its parts, which count, and a parent of amount 0 with the sum in a column of its own.
  const splitSum = layout.preset === 'actual' ? layout.header.map(headerKey).indexOf('split amount') : -1;

  return ({ cells, line }, batch) => {
    const accountHint = account === undefined ? null : cleanLabel(cells[account] ?? '');
    if (account !== undefined && !filter.accepts(accountHint)) return;
    if (unit !== undefined) checkCurrency(cells[unit] ?? '', currency);
    if (splitSum !== -1 && /[1-9]/.test(cells[splitSum] ?? '')) {
      batch.notices.push({ line, message: 'is the sum of a split; its parts are read instead' });
      return;
    }
    const { minorUnits, rounded } = readAmount(cells);
    const { date, name, notes, externalId, category, merchant, tags } = readTexts(cells);
    batch.rows.push({
      line,
      date,
      amountCents: minorUnits,
      currency,
      name,
      notes,
      externalId,
      category,
      merchant,
      tags,
      accountHint,
    });
    if (rounded) batch.notices.push({ line, message: roundingNotice(currency) });
  };
}

export function checkCurrency(text: string, currency: string): void {
  const code = text.trim().toUpperCase();
  if (code === currency || code === '') return;
  throw new AppError('validation_failed', `is in ${JSON.stringify(text.trim())}, not in ${currency}`);
}

export function roundingNotice(currency: string): string {
  return `the amount was rounded to the digits of ${currency}`;
}
