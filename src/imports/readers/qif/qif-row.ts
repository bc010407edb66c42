import { cleanLabel, cleanName, cleanNotes } from '#src/imports/readers/clean-text.ts';
import { parseDate } from '#src/imports/readers/parse-date.ts';
import type { QifStyle } from '#src/imports/readers/qif/detect-qif-style.ts';
import type { QifField } from '#src/imports/readers/qif/qif-parser.ts';
import { tidyQifDate } from '#src/imports/readers/qif/tidy-qif-date.ts';
import type { StatementBatch } from '#src/imports/readers/statement.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';
import { parseAmount } from '#src/ledger/parse-amount.ts';

export interface QifAccount extends QifStyle {
  /** ISO 4217. */
  currency: string;
  /** What a positive amount means. */
  isInflowPositive: boolean;
  accountHint: string | null;
}

/** Adds the row of a record to the batch, with a notice when it was rounded, or a problem. */
export function addQifRow(batch: StatementBatch, fields: QifField[], account: QifAccount): void {
  const { currency, accountHint } = account;
  const line = fields[0]?.line ?? 1;
  const date = readField(batch, fields, 'D', (text) => readDate(text, account));
  const amount =
    date === undefined ? undefined : readField(batch, fields, 'TU', (text) => parseAmount(text, account));
  if (date === undefined || amount === undefined) return;

  const { minorUnits, rounded } = amount;
  const { category, transfer, tags } = readCategory(textOf(fields, 'L'));
  const splits = splitsOf(fields);
  const { name, notes } = describe(fields, [
    transfer === '' ? '' : `Transfer: ${transfer}`,
    splits.length === 0 ? '' : `Split: ${splits.join('; ')}`,
  ]);
  batch.rows.push({
    line,
    date,
    // Never -0.
    amountCents: account.isInflowPositive ? 0 - minorUnits : minorUnits,
    currency,
    name,
    notes,
    externalId: null,
    // Of a split it would be that of one part.
    category: splits.length === 0 ? category : null,
    merchant: null,
    tags,
    accountHint,
  });
  if (rounded) batch.notices.push({ line, message: `the amount was rounded to the digits of ${currency}` });
}

/** The account a category `[Account]` stands for, in a transfer; empty when it is none. */
export function transferOf(fields: readonly QifField[]): string {
  return readCategory(textOf(fields, 'L')).transfer;
}

export function textOf(fields: readonly QifField[], code: string): string {
  return fields.find((field) => field.code === code)?.text ?? '';
}

/** The value of the first field with one of these codes; without one, or a sound one, a problem of that line. */
function readField<Value>(
  batch: StatementBatch,
  fields: readonly QifField[],
  codes: string,
  read: (text: string) => Value,
): Value | undefined {
  const [code = ''] = codes.split('').filter((each) => fields.some((field) => field.code === each));
  const field = fields.find((each) => each.code === code);
  try {
    if (!field) throw invalid([`the record has no ${codes === 'D' ? 'date (D)' : 'amount (T)'}`]);
    return read(field.text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    batch.problems.push({ line: field?.line ?? fields[0]?.line ?? 1, message: error.message });
    return undefined;
  }
}

function readDate(text: string, { dateOrder }: QifStyle): string {
  const date = parseDate(tidyQifDate(text), dateOrder);
  if (date === undefined)
    throw invalid([`date ${JSON.stringify(text.slice(0, 60))} is no real date (${dateOrder})`]);
  return date;
}

/** `Food:Bread/Class`, `[Account]`, `[Account]/Class`; a class is a tag. */
function readCategory(text: string): { category: string | null; transfer: string; tags: string[] } {
  const [, account = '', afterAccount = ''] = /^\[([^\]]*)\](.*)$/.exec(text) ?? [];
  const slash = account === '' ? text.indexOf('/') : -1;
  const name = account === '' ? text.slice(0, slash === -1 ? undefined : slash) : '';
  const tag = cleanName(
    account === '' ? (slash === -1 ? '' : text.slice(slash + 1)) : afterAccount.replace(/^\//, ''),
  );
  return {
    category: /^-+split-+$/i.test(name) ? null : cleanLabel(name),
    transfer: cleanName(account),
    tags: tag === '' ? [] : [tag],
  };
}

/** Each part as `Food 10.00 (memo)`; S begins one, E and $ belong to it. */
function splitsOf(fields: readonly QifField[]): string[] {
  const splits: { category: string; amount: string; memo: string }[] = [];
  for (const { code, text } of fields) {
    const split = splits.at(-1);
    if (code === 'S') splits.push({ category: text, amount: '', memo: '' });
    else if (code === 'E' && split) split.memo = text;
    else if (code === '$' && split) split.amount = text;
  }
  return splits
    .filter(({ category, amount }) => category !== '' || /[1-9]/.test(amount))
    .map(({ category, amount, memo }) =>
      [category || 'no category', amount, memo && `(${memo})`].filter((text) => text !== '').join(' '),
    );
}

function describe(fields: readonly QifField[], remarks: string[]): { name: string; notes: string | null } {
  const payee = cleanName(textOf(fields, 'P'));
  const memo = textOf(fields, 'M');
  const number = textOf(fields, 'N');
  const numbered = number && (/^\d+$/.test(number) ? `Check ${number}` : `Reference ${number}`);
  const name = payee || cleanName(memo) || cleanName(numbered) || cleanName(textOf(fields, 'L'));
  const notes = [
    payee === '' ? '' : memo,
    payee === '' && cleanName(memo) === '' ? '' : numbered,
    ...remarks,
  ];
  return {
    name: name || '(no description)',
    notes: cleanNotes(notes.filter((note) => note !== '').join('\n')),
  };
}
