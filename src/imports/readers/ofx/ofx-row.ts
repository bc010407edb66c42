import { cleanLabel, cleanName, cleanNotes } from '#src/imports/readers/clean-text.ts';
import { realDate } from '#src/imports/readers/parse-date.ts';
import type { StatementBatch } from '#src/imports/readers/statement.ts';
import { AppError } from '#src/kernel/errors.ts';
import { parseAmount } from '#src/ledger/parse-amount.ts';

/** A STMTTRN: its values by element name, those of an aggregate inside it as `PAYEE.NAME`. */
export interface OfxTransaction {
  line: number;
  values: Map<string, string>;
}

export interface OfxAccount {
  /** ISO 4217, of the statement and of the account it goes into. */
  currency: string;
  accountId: string | null;
}

/** Adds what the transaction is to the batch: a row, with a notice when it was rounded, or a problem. */
export function addOfxRow(
  batch: StatementBatch,
  { line, values }: OfxTransaction,
  account: OfxAccount,
): void {
  try {
    refuseUnfit(values, account.currency);
    const { minorUnits, rounded } = amountOf(values, account.currency);
    const { name, notes } = describe(values);
    batch.rows.push({
      line,
      date: dateOf(values),
      // OFX 1.6 section 3.2.9.2: a negative amount leaves the account. Ours is the opposite; never -0.
      amountCents: 0 - minorUnits,
      currency: account.currency,
      name,
      notes,
      externalId: cleanLabel(values.get('FITID') ?? ''),
      category: null,
      merchant: null,
      tags: [],
      accountHint: account.accountId,
    });
    if (rounded)
      batch.notices.push({
        line,
        message: `TRNAMT ${values.get('TRNAMT')} was rounded to ${account.currency}`,
      });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    batch.problems.push({ line, message: error.message });
  }
}

function refuseUnfit(values: Map<string, string>, currency: string): void {
  // Section 5.2: under CURRENCY the amount is not converted; under ORIGCURRENCY it is, and CURSYM is history.
  const symbol = values.get('CURRENCY.CURSYM');
  if (symbol !== undefined && symbol !== currency) throw problem(`is in ${symbol}, not in ${currency}`);
  const corrected = values.get('CORRECTFITID');
  if (corrected === undefined) return;
  throw problem(
    `corrects transaction ${corrected} (${values.get('CORRECTACTION') ?? 'no action'}); do that by hand`,
  );
}

function amountOf(values: Map<string, string>, currency: string) {
  const text = values.get('TRNAMT');
  if (text === undefined) throw problem('STMTTRN has no TRNAMT');
  // Section 3.2.9.1: the radix is a comma or a point, without group marks; banks group nevertheless.
  const comma = text.lastIndexOf(',');
  const decimal = comma > text.lastIndexOf('.') && text.indexOf(',') === comma ? ',' : '.';
  return parseAmount(text, { decimal, currency });
}

/** The local date as the bank wrote it: the time and zone say when, not on which statement day. */
function dateOf(values: Map<string, string>): string {
  const text = values.get('DTPOSTED');
  if (text === undefined) throw problem('STMTTRN has no DTPOSTED');
  const parts = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text);
  const date = parts ? realDate(Number(parts[1]), Number(parts[2]), Number(parts[3])) : undefined;
  if (date === undefined) throw problem(`DTPOSTED ${JSON.stringify(text)} is not a real date`);
  return date;
}

function describe(values: Map<string, string>): { name: string; notes: string | null } {
  const payee = cleanName(values.get('NAME') ?? values.get('PAYEE.NAME') ?? '');
  const memo = values.get('MEMO') ?? '';
  const check = values.get('CHECKNUM');
  const name =
    payee ||
    cleanName(memo) ||
    (check ? cleanName(`CHECK ${check}`) : cleanName(values.get('TRNTYPE') ?? ''));
  const notes = [payee === '' ? '' : memo];
  if (check && (payee !== '' || memo !== '')) notes.push(`Check ${check}`);
  const original = values.get('ORIGCURRENCY.CURSYM');
  if (original)
    notes.push(`Converted from ${original} at ${values.get('ORIGCURRENCY.CURRATE') ?? 'an unknown rate'}`);
  return {
    name: name || '(no description)',
    notes: cleanNotes(notes.filter((note) => note !== '').join('\n')),
  };
}

function problem(message: string): AppError {
  return new AppError('validation_failed', message);
}
