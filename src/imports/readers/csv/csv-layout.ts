import type { CsvRecord } from '#src/imports/readers/csv/parse-records.ts';
import type { CsvField, Preset } from '#src/imports/readers/statement.ts';

/** Where the columns of a CSV file are. */
export interface CsvLayout {
  delimiter: string;
  /** Line of the header; 0 when the file has none. */
  headerLine: number;
  /** Rows that begin above this line are no data. */
  firstDataLine: number;
  header: string[];
  /** Field → column, counted from 0. */
  columns: Map<CsvField, number>;
  preset: Preset | undefined;
  /** The first data rows of the file. */
  samples: CsvRecord[];
}

export function cellsOf(layout: Pick<CsvLayout, 'columns' | 'samples'>, field: CsvField): string[] {
  const column = layout.columns.get(field);
  if (column === undefined) return [];
  return layout.samples.map(({ cells }) => (cells[column] ?? '').trim()).filter((cell) => cell !== '');
}
