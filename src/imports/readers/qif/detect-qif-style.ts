import { detectDecimal } from '#src/imports/readers/csv/detect-decimal.ts';
import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { DATE_FORMAT_HINT, givenDateOrder } from '#src/imports/readers/given-date-order.ts';
import {
  type DateOrder,
  detectDateOrder,
  orderOfFormat,
  parseDate,
} from '#src/imports/readers/parse-date.ts';
import type { QifField } from '#src/imports/readers/qif/qif-parser.ts';
import { readSections } from '#src/imports/readers/qif/qif-sections.ts';
import { tidyQifDate } from '#src/imports/readers/qif/tidy-qif-date.ts';
import type { SourceText } from '#src/imports/readers/statement.ts';
import { minorUnitDigits } from '#src/ledger/money.ts';

/** How a QIF file writes what QIF itself leaves open. */
export interface QifStyle {
  dateOrder: DateOrder;
  decimal: '.' | ',';
}

/** Text → the first line that has it. */
interface Samples {
  dates: Map<string, number>;
  amounts: Map<string, number>;
  /** Of an `!Option:`. */
  order: DateOrder | undefined;
}

/** More than fifty years have days; what is written otherwise has few forms. */
const MOST_DATES = 20_000;
const MOST_AMOUNTS = 2_000;

/** Given, or found in the whole file; refused when that allows two readings. */
export async function detectQifStyle(source: SourceText): Promise<QifStyle> {
  const { dateFormat, decimal } = source.options;
  const given = givenDateOrder(dateFormat, source.label);
  if (given && decimal) return { dateOrder: given, decimal };
  const samples = await collect(source);
  return {
    dateOrder: given ?? samples.order ?? dateOrderOf(samples.dates, source.label),
    decimal: decimal ?? decimalOf(samples.amounts, source),
  };
}

async function collect(source: SourceText): Promise<Samples> {
  const samples: Samples = { dates: new Map(), amounts: new Map(), order: undefined };
  const pieces = readSections(source, {
    section: () => undefined,
    record: (fields, { kind }) => {
      if (kind === 'transactions') for (const field of fields) note(samples, field);
    },
    dateOption: (letters) => {
      samples.order = orderOfFormat(letters);
    },
  });
  for await (const _ of pieces);
  return samples;
}

function note({ dates, amounts }: Samples, { code, text, line }: QifField): void {
  if (code === 'D') {
    if (dates.size < MOST_DATES && !dates.has(text)) dates.set(text, line);
  } else if ((code === 'T' || code === 'U') && /[.,]/.test(text)) {
    // Which digits they are says nothing, but for a zero in front.
    const form = text.replace(/[1-9]/g, '1');
    if (amounts.size < MOST_AMOUNTS && !amounts.has(form)) amounts.set(form, line);
  }
}

function dateOrderOf(dates: ReadonlyMap<string, number>, label: string): DateOrder {
  const texts = [...dates.keys()];
  const tidy = texts.map(tidyQifDate);
  const found = detectDateOrder(tidy, dates.size < MOST_DATES);
  if ('order' in found) return found.order;
  const [text] = texts;
  if (text === undefined) return 'MDY';
  if ('unknown' in found) throw noDate(text, dates.get(text) ?? 1, label);
  throw ambiguous(dates, tidy, label);
}

function ambiguous(dates: ReadonlyMap<string, number>, tidy: string[], label: string): Error {
  const lines = [...dates];
  const readings = tidy.map((text) => [parseDate(text, 'DMY'), parseDate(text, 'MDY')] as const);
  const [byDay] = lines.filter((_, i) => readings[i]?.[0] && !readings[i][1]);
  const [byMonth] = lines.filter((_, i) => readings[i]?.[1] && !readings[i][0]);
  if (byDay && byMonth) {
    const why = `date ${JSON.stringify(byDay[0])} has the day first, ${JSON.stringify(byMonth[0])} in line ${byMonth[1]} the month`;
    return fileDefect(label, byDay[1], why, DATE_FORMAT_HINT);
  }
  const [text, line] = lines.find((_, i) => readings[i]?.[0] !== readings[i]?.[1]) ?? lines[0] ?? ['', 1];
  const why = `dates such as ${JSON.stringify(text)} may be day or month first`;
  return fileDefect(label, line, why, DATE_FORMAT_HINT);
}

function noDate(text: string, line: number, label: string): Error {
  return fileDefect(label, line, `date ${JSON.stringify(text.slice(0, 60))} is no date`, DATE_FORMAT_HINT);
}

function decimalOf(amounts: ReadonlyMap<string, number>, { options, label }: SourceText): '.' | ',' {
  const digits = minorUnitDigits(options.currency);
  const found = detectDecimal([...amounts.keys()], digits);
  if (found === '.' || found === ',') return found;
  const [[, line] = ['', 1]] = amounts;
  const why =
    found === 'mixed'
      ? 'some amounts have a decimal comma, some a decimal point'
      : 'the amounts may have decimals or thousands';
  throw fileDefect(label, line, why, 'Give the decimal mark: --decimal . or --decimal ,');
}
