import { type CsvLayout, cellsOf } from '#src/imports/readers/csv/csv-layout.ts';
import { detectDecimal } from '#src/imports/readers/csv/detect-decimal.ts';
import { PRESET_LAYOUTS } from '#src/imports/readers/csv/presets.ts';
import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { DATE_FORMAT_HINT, givenDateOrder } from '#src/imports/readers/given-date-order.ts';
import { type DateOrder, detectDateOrder } from '#src/imports/readers/parse-date.ts';
import type { SourceText } from '#src/imports/readers/statement.ts';
import { minorUnitDigits } from '#src/ledger/money.ts';

/** How the cells of a CSV file are written. */
export interface ValueStyle {
  dateOrder: DateOrder;
  decimal: '.' | ',';
  /** Positive numbers in the amount column enter the account. */
  inflowPositive: boolean;
  /** The outflow column prints a minus before every amount; it is decoration. */
  outflowNegative: boolean;
}

/** Given, known from the preset, or found in the first rows; refused when the rows allow two readings. */
export function detectValues(layout: CsvLayout, source: SourceText): ValueStyle {
  const outflows = cellsOf(layout, 'outflow').filter((cell) => /[1-9]/.test(cell));
  return {
    dateOrder: dateOrderOf(layout, source),
    decimal: decimalOf(layout, source),
    inflowPositive: source.options.sign !== 'outflow-positive',
    outflowNegative: outflows.length > 0 && outflows.every((cell) => /^[-\u2212(]|[-\u2212]$/.test(cell)),
  };
}

function dateOrderOf(layout: CsvLayout, { options, label, whole }: SourceText): DateOrder {
  const given = givenDateOrder(options.dateFormat, label);
  if (given) return given;
  const known = layout.preset && PRESET_LAYOUTS[layout.preset].dateOrder;
  const samples = cellsOf(layout, 'date');
  if (known || samples.length === 0) return known ?? 'YMD';
  const found = detectDateOrder(samples, whole && samples.length < 2000);
  if ('order' in found) return found.order;
  const line = layout.samples[0]?.line ?? 1;
  const example = JSON.stringify(samples[0]);
  if ('ambiguous' in found)
    throw fileDefect(label, line, `dates such as ${example} may be day or month first`, DATE_FORMAT_HINT);
  throw fileDefect(label, line, `the date column has no dates, but ${example}`, DATE_FORMAT_HINT);
}

function decimalOf(layout: CsvLayout, { options, label }: SourceText): '.' | ',' {
  const known = options.decimal ?? (layout.preset && PRESET_LAYOUTS[layout.preset].decimal);
  if (known) return known;
  const samples = (['amount', 'outflow', 'inflow'] as const).flatMap((field) => cellsOf(layout, field));
  const found = detectDecimal(samples, minorUnitDigits(options.currency));
  if (found === '.' || found === ',') return found;
  const line = layout.samples[0]?.line ?? 1;
  const why =
    found === 'mixed'
      ? 'some amounts have a decimal comma, some a decimal point'
      : `amounts such as ${JSON.stringify(samples.find((sample) => /[.,]/.test(sample)))} may have decimals or thousands`;
  throw fileDefect(label, line, why, 'Give the decimal mark: --decimal . or --decimal ,');
}
