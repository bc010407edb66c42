import type { CsvLayout } from '#src/imports/readers/csv/csv-layout.ts';
import type { ValueStyle } from '#src/imports/readers/csv/detect-values.ts';
import { directionOf } from '#src/imports/readers/csv/direction.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type ParsedAmount, parseAmount } from '#src/ledger/parse-amount.ts';

/** Minor units of `currency`, money leaving the account positive. Throws validation_failed when there is no amount. */
export type ReadAmount = (cells: string[]) => ParsedAmount;

export function amountReader({ columns }: CsvLayout, style: ValueStyle, currency: string): ReadAmount {
  const money = { decimal: style.decimal, currency };
  const amount = columns.get('amount');
  if (amount === undefined) return twoColumns(columns.get('outflow'), columns.get('inflow'), style, money);
  const direction = columns.get('direction');
  if (direction === undefined) {
    return (cells) => {
      const parsed = parseAmount(cells[amount] ?? '', money);
      // Never -0.
      if (style.inflowPositive) parsed.minorUnits = 0 - parsed.minorUnits;
      return parsed;
    };
  }
  return (cells) => {
    const { minorUnits, rounded } = parseAmount(cells[amount] ?? '', money);
    const way = directionOf(cells[direction] ?? '');
    if (!way)
      throw new AppError(
        'validation_failed',
        `${JSON.stringify(cells[direction])} is neither debit nor credit`,
      );
    return { minorUnits: way === 'out' ? Math.abs(minorUnits) : 0 - Math.abs(minorUnits), rounded };
  };
}

function twoColumns(
  outflow: number | undefined,
  inflow: number | undefined,
  { outflowNegative }: ValueStyle,
  money: { decimal: '.' | ','; currency: string },
): ReadAmount {
  const read = (cells: string[], column: number | undefined): ParsedAmount | undefined => {
    const text = column === undefined ? '' : (cells[column] ?? '').trim();
    return text === '' || /^[-\u2013\u2014]+$/.test(text) ? undefined : parseAmount(text, money);
  };
  return (cells) => {
    const left = read(cells, outflow);
    const entered = read(cells, inflow);
    if (!left && !entered) throw new AppError('validation_failed', 'amount is empty');
    const out = outflowNegative ? 0 - (left?.minorUnits ?? 0) : (left?.minorUnits ?? 0);
    const minorUnits = out - (entered?.minorUnits ?? 0);
    if (!Number.isSafeInteger(minorUnits)) throw new AppError('validation_failed', 'amount is too large');
    return { minorUnits, rounded: Boolean(left?.rounded || entered?.rounded) };
  };
}
