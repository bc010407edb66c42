import { CsvError, type Options, parse } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
import { fileDefect } from '#src/imports/readers/file-defect.ts';

export interface CsvRecord {
  cells: string[];
  /** First line of the record, counted from 1. */
  line: number;
}

const MAX_RECORD = 256 * 1024;

/** The records of a beginning of a file, at most `limit`; a broken or cut-off end is left out. */
export function sampleRecords(text: string, delimiter: string, limit: number): CsvRecord[] {
  const records: CsvRecord[] = [];
  try {
    parseSync(text, { ...recordOptions(delimiter, collector(records)), to: limit });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return records;
}

/** The records of pieces of text with \n line ends, in one array per piece. */
export async function* parseRecords(pieces: AsyncIterable<string>, delimiter: string, label: string) {
  let records: CsvRecord[] = [];
  let last = 0;
  const collect = collector();
  const parser = parse(
    recordOptions(delimiter, (cells, lines) => {
      last = lines;
      records.push(collect(cells, lines));
    }),
  );
  // Records leave through the callback, which spares the stream's queue; nothing is ever readable.
  parser.resume();
  const settled = (start: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      start((error) => (error ? reject(asDefect(error, label, last + 1)) : resolve()));
    });
  let failed: Error | undefined;
  parser.on('error', (error) => {
    failed = error;
  });
  for await (const piece of pieces) {
    await settled((done) => parser.write(piece, done));
    yield records;
    records = [];
  }
  await settled((done) => parser.on('error', done).on('end', done).end());
  if (failed) throw asDefect(failed, label, last + 1);
  yield records;
}

type Collect = (cells: string[], lastLine: number) => CsvRecord;

function collector(into?: CsvRecord[]): Collect {
  let previous = 0;
  return (cells, lastLine) => {
    let line = lastLine;
    // Blank lines aside, a record that begins right after the previous one has no line breaks in it.
    if (lastLine !== previous + 1) for (const cell of cells) line -= lineBreaks(cell);
    previous = lastLine;
    const record = { cells, line };
    into?.push(record);
    return record;
  };
}

function recordOptions(delimiter: string, collect: (cells: string[], lastLine: number) => unknown): Options {
  return {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
    on_record: (cells: string[], { lines }) => {
      collect(cells, lines);
      return null;
    },
  };
}

function lineBreaks(cell: string): number {
  let count = 0;
  for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) count += 1;
  return count;
}

function asDefect(error: Error, label: string, line: number): Error {
  if (!(error instanceof CsvError)) return error;
  const hint = 'Look for a quotation mark without its partner there, or give the delimiter.';
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return fileDefect(label, line, 'a quoted field has no end', hint);
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return fileDefect(label, line, `a row of more than ${MAX_RECORD} characters begins here`, hint);
  }
  return fileDefect(label, line, error.message, hint);
}
