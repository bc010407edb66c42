import { type CsvLayout, cellsOf } from '#src/imports/readers/csv/csv-layout.ts';
import { isDirection } from '#src/imports/readers/csv/direction.ts';
import { isEnough, matchColumns } from '#src/imports/readers/csv/match-columns.ts';
import { type CsvRecord, sampleRecords } from '#src/imports/readers/csv/parse-records.ts';
import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { DATE_ORDERS, parseDate } from '#src/imports/readers/parse-date.ts';
import {
  CSV_FIELDS,
  type CsvField,
  type ReadOptions,
  type SourceText,
} from '#src/imports/readers/statement.ts';

const DELIMITERS = [',', ';', '\t', '|'];
const HEADER_LINES = 30;
const SAMPLES = 2000;

type Candidate = Omit<CsvLayout, 'samples'>;

/** Finds delimiter, header and columns together: the delimiter is the one under which a row reads as a header. */
export function findLayout(source: SourceText): CsvLayout {
  const { options, label } = source;
  const first = source.head.slice(0, 32_768);
  const delimiters = options.delimiter === undefined ? DELIMITERS : [options.delimiter];
  const tables = delimiters.map((delimiter) => ({
    delimiter,
    records: topRecords(first, delimiter, options),
  }));
  const candidates = tables.flatMap(
    ({ delimiter, records }) => candidateOf(delimiter, records, options) ?? [],
  );
  const [best] = candidates.sort(
    (a, b) => b.columns.size - a.columns.size || b.header.length - a.header.length,
  );
  if (!best) throw noHeader(label, tables.map(({ records }) => records).sort(byWidth)[0] ?? [], options);

  // The last line of the head may be cut.
  const head = source.whole ? source.head : source.head.slice(0, source.head.lastIndexOf('\n') + 1);
  const samples = sampleRecords(head, best.delimiter, SAMPLES).filter(
    ({ line }) => line >= best.firstDataLine,
  );
  const layout = { ...best, samples };
  dropMisread(layout, options);
  return layout;
}

function topRecords(text: string, delimiter: string, { skipRows }: ReadOptions): CsvRecord[] {
  const records = sampleRecords(text, delimiter, HEADER_LINES + (skipRows ?? 0) + 1);
  if (skipRows === undefined) return records.filter(({ line }) => line <= HEADER_LINES);
  return records.filter(({ line }) => line > skipRows).slice(0, 1);
}

function candidateOf(delimiter: string, records: CsvRecord[], options: ReadOptions): Candidate | undefined {
  if (isNumbered(options)) return headerless(delimiter, records, options);
  for (const { cells, line } of records) {
    const match = matchColumns(cells, options);
    if (match) return { delimiter, headerLine: line, firstDataLine: line + 1, header: cells, ...match };
  }
  return undefined;
}

/** Columns given by number need no header; the first row with a date is then data. */
function isNumbered({ columns, preset }: ReadOptions): boolean {
  const wanted = Object.values(columns ?? {}).filter((column) => column !== '');
  return preset === undefined && wanted.length > 0 && wanted.every((column) => typeof column === 'number');
}

function headerless(
  delimiter: string,
  records: CsvRecord[],
  { columns: wanted }: ReadOptions,
): Candidate | undefined {
  const columns = new Map<CsvField, number>();
  for (const field of CSV_FIELDS) {
    const column = wanted?.[field];
    if (typeof column === 'number') columns.set(field, column - 1);
  }
  const last = Math.max(...columns.values());
  const date = columns.get('date') ?? -1;
  const data = records.find(({ cells }) => cells.length > last && isDate(cells[date] ?? ''));
  if (!isEnough(columns) || !data) return undefined;
  return {
    delimiter,
    headerLine: 0,
    firstDataLine: data.line,
    header: data.cells,
    columns,
    preset: undefined,
  };
}

function isDate(text: string): boolean {
  return DATE_ORDERS.some((order) => parseDate(text.trim(), order) !== undefined);
}

/** Columns taken by name alone must also look the part. */
function dropMisread(layout: CsvLayout, options: ReadOptions): void {
  if (layout.preset) return;
  const given = (field: CsvField) => options.columns?.[field] !== undefined;
  if (!given('direction') && !cellsOf(layout, 'direction').every(isDirection))
    layout.columns.delete('direction');
  const ids = cellsOf(layout, 'externalId');
  if (!given('externalId') && new Set(ids).size < ids.length) layout.columns.delete('externalId');
}

function noHeader(label: string, records: CsvRecord[], options: ReadOptions) {
  const [seen] = [...records].sort((a, b) => b.cells.length - a.cells.length);
  const headers = (seen?.cells ?? []).slice(0, 40).map((cell) => JSON.stringify(cell.trim().slice(0, 40)));
  const wanted = options.preset
    ? `the columns of a ${options.preset} export`
    : 'columns for a date and an amount';
  const where =
    options.skipRows === undefined ? `in the first ${HEADER_LINES} lines` : `after ${options.skipRows} lines`;
  const why = `no header with ${wanted} ${where}; seen: ${headers.join(', ') || 'nothing'}`;
  return fileDefect(
    label,
    seen?.line ?? 1,
    why,
    'Name the columns: --map date=… --map amount=… --map name=…',
  );
}

function byWidth(a: CsvRecord[], b: CsvRecord[]): number {
  return widest(b) - widest(a);
}

function widest(records: CsvRecord[]): number {
  return Math.max(0, ...records.map(({ cells }) => cells.length));
}
