import { cleanLabel } from '#src/imports/readers/clean-text.ts';
import { headerKey } from '#src/imports/readers/csv/field-names.ts';
import {
  type AddRecord,
  checkCurrency,
  type RowTarget,
  roundingNotice,
} from '#src/imports/readers/csv/plain-rows.ts';
import { textReader } from '#src/imports/readers/csv/row-builder.ts';
import { AppError } from '#src/kernel/errors.ts';
import { parseAmount } from '#src/ledger/parse-amount.ts';

// The others (expense, revenue, cash, initial balance, reconciliation) are counterparts, not accounts of the user.
const OWN_ACCOUNT = /^(?:asset account|default account|loan|debt|mortgage)$/i;

/**
 * A Firefly III line moves money from one account to another; each side that is an account of the user is a row, so a
 * transfer is two, and the account filter takes one. The sign of the amount differs between releases and says nothing.
 */
export function fireflyRows({ layout, style, currency, filter }: RowTarget): AddRecord {
  const readTexts = textReader(layout, style.dateOrder);
  const keys = layout.header.map(headerKey);
  const cellOf = (name: string) => {
    const column = keys.indexOf(name);
    return (cells: string[]) => (column === -1 ? '' : (cells[column] ?? ''));
  };
  const sides = [
    { out: true, name: cellOf('source name'), type: cellOf('source type') },
    { out: false, name: cellOf('destination name'), type: cellOf('destination type') },
  ];
  const [amount, unit] = [cellOf('amount'), cellOf('currency code')];
  const [foreignAmount, foreignUnit] = [cellOf('foreign amount'), cellOf('foreign currency code')];

  return ({ cells, line }, batch) => {
    const own = sides.filter(({ type }) => OWN_ACCOUNT.test(type(cells).trim()));
    if (own.length === 0)
      throw new AppError('validation_failed', 'neither side is an asset account or a liability');
    for (const { out, name } of own) {
      const accountHint = cleanLabel(name(cells));
      if (!filter.accepts(accountHint)) continue;
      const foreign = unit(cells) !== currency && foreignUnit(cells) === currency;
      if (!foreign) checkCurrency(unit(cells), currency);
      const text = foreign ? foreignAmount(cells) : amount(cells);
      const { minorUnits, rounded } = parseAmount(text, { decimal: style.decimal, currency });
      const amountCents = out ? Math.abs(minorUnits) : 0 - Math.abs(minorUnits);
      batch.rows.push({ line, ...readTexts(cells), amountCents, currency, accountHint });
      if (rounded) batch.notices.push({ line, message: roundingNotice(currency) });
    }
  };
}
