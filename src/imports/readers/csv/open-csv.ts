import { accountFilter } from '#src/imports/readers/account-filter.ts';
import type { CsvLayout } from '#src/imports/readers/csv/csv-layout.ts';
import { detectValues, type ValueStyle } from '#src/imports/readers/csv/detect-values.ts';
import { findLayout } from '#src/imports/readers/csv/find-layout.ts';
import { fireflyRows } from '#src/imports/readers/csv/firefly-rows.ts';
import { type CsvRecord, parseRecords } from '#src/imports/readers/csv/parse-records.ts';
import { type AddRecord, plainRows } from '#src/imports/readers/csv/plain-rows.ts';
import { DATE_ORDER_NAMES } from '#src/imports/readers/parse-date.ts';
import { readText } from '#src/imports/readers/read-text.ts';
import {
  emptyBatch,
  type SourceText,
  type Statement,
  type StatementBatch,
} from '#src/imports/readers/statement.ts';
import { AppError } from '#src/kernel/errors.ts';

/** Finds out how the file is written from its beginning, so most refusals come before the first row. */
export function openCsv(source: SourceText): Statement {
  const layout = findLayout(source);
  const style = detectValues(layout, source);
  return {
    format: 'csv',
    detected: describe(source, layout, style),
    batches: readCsv(source, layout, style),
  };
}

async function* readCsv(
  source: SourceText,
  layout: CsvLayout,
  style: ValueStyle,
): AsyncGenerator<StatementBatch> {
  const { options, label, encoding } = source;
  const filter = accountFilter(label, options.account);
  const build = layout.preset === 'firefly' ? fireflyRows : plainRows;
  const addRow = build({ layout, style, currency: options.currency, filter });
  const text = readText(options.file, label, encoding);
  for await (const records of parseRecords(text, layout.delimiter, label)) {
    const batch = emptyBatch();
    for (const record of records) addRecord(record, layout, addRow, batch);
    yield batch;
  }
  if (layout.columns.has('account') || layout.preset === 'firefly' || options.account !== undefined)
    filter.finish();
}

function addRecord(record: CsvRecord, layout: CsvLayout, addRow: AddRecord, batch: StatementBatch): void {
  const { cells, line } = record;
  if (line < layout.firstDataLine || cells.every(isBlank)) return;
  try {
    checkWidth(cells, layout);
    addRow(record, batch);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    batch.problems.push({ line, message: error.message });
  }
}

/** Short and long rows are damaged ones; empty cells at the end, as spreadsheets leave them, are not. */
function checkWidth(cells: string[], { header }: CsvLayout): void {
  if (cells.length === header.length) return;
  if (cells.length > header.length && cells.slice(header.length).every(isBlank)) return;
  throw new AppError('validation_failed', `has ${cells.length} columns, the header ${header.length}`);
}

function isBlank(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}

const DELIMITER_NAMES: Record<string, string> = { '\t': 'tab' };

function describe(source: SourceText, layout: CsvLayout, style: ValueStyle): Record<string, string> {
  const columns = [...layout.columns].map(
    ([field, i]) => `${field}=${layout.headerLine > 0 ? layout.header[i] : i + 1}`,
  );
  return {
    encoding: source.encoding,
    delimiter: DELIMITER_NAMES[layout.delimiter] ?? layout.delimiter,
    decimal: style.decimal,
    dateFormat: DATE_ORDER_NAMES[style.dateOrder],
    ...(layout.headerLine > 0 && { headerLine: String(layout.headerLine) }),
    ...(layout.preset && { preset: layout.preset }),
    columns: columns.join(', '),
  };
}
