export const FORMATS = ['csv', 'ofx', 'qif', 'camt053'] as const;
/** `ofx` covers OFX 1.x and QFX (SGML) and OFX 2.x (XML). */
export type Format = (typeof FORMATS)[number];

export const PRESETS = ['mint', 'ynab', 'actual', 'firefly'] as const;
/** CSV exports whose columns, signs and formats are known. */
export type Preset = (typeof PRESETS)[number];

export const CSV_FIELDS = [
  'date',
  'amount',
  'outflow',
  'inflow',
  'direction',
  'name',
  'notes',
  'externalId',
  'category',
  'merchant',
  'tags',
  'currency',
  'account',
] as const;
/** `outflow` and `inflow` stand for two columns instead of `amount`; `direction` says debit or credit in words. */
export type CsvField = (typeof CSV_FIELDS)[number];

export interface StatementRow {
  /** First line of the row in the file, counted from 1. */
  line: number;
  /** YYYY-MM-DD. */
  date: string;
  /** Minor units of `currency`, signed as in double entry: money leaving the account is positive. */
  amountCents: number;
  /** ISO 4217; always the currency asked for in ReadOptions. */
  currency: string;
  /** Never empty, at most 500 characters. */
  name: string;
  notes: string | null;
  /** The bank's own id of the transaction. */
  externalId: string | null;
  category: string | null;
  merchant: string | null;
  tags: string[];
  /** The account inside the file this row belongs to: its number in OFX and CAMT.053, its name in CSV and QIF. */
  accountHint: string | null;
}

/** About one line: a problem is a line that gives no row, a notice is about a row that was read nevertheless. */
export interface LineMessage {
  line: number;
  /** Counted from 1, where one line may hold many rows. */
  column?: number | undefined;
  message: string;
}

export interface StatementBatch {
  rows: StatementRow[];
  problems: LineMessage[];
  notices: LineMessage[];
}

export interface ReadOptions {
  /** A regular file; it is read twice, so no pipe. */
  file: string;
  /** How messages call the file, when not by its path. */
  label?: string | undefined;
  format?: Format | 'auto' | undefined;
  /** ISO 4217 code of the account. Rows in another currency are problems. */
  currency: string;
  /** Which account inside the file to read, when it holds several: see StatementRow.accountHint. */
  account?: string | undefined;
  /** Any label TextDecoder knows; otherwise a byte order mark, valid UTF-8, or windows-1252. */
  encoding?: string | undefined;
  preset?: Preset | undefined;
  delimiter?: string | undefined;
  decimal?: '.' | ',' | undefined;
  /** Such as YYYY-MM-DD, DD.MM.YYYY, MM/DD/YY, DD-MMM-YYYY. */
  dateFormat?: string | undefined;
  /** What a positive amount of CSV and QIF means. Inflow unless given or known from the preset. */
  sign?: 'inflow-positive' | 'outflow-positive' | undefined;
  /** Lines before the header. Unless given, the header is looked for in the first 30 lines. */
  skipRows?: number | undefined;
  /** Field → header, or column number counted from 1; an empty string leaves the field out. */
  columns?: Partial<Record<CsvField, string | number>> | undefined;
}

export interface Statement {
  format: Format;
  /** What was found out rather than given, for people: encoding, delimiter, dateFormat, ... */
  detected: Record<string, string>;
  /** Read once; leaving the loop closes the file. */
  batches: AsyncIterable<StatementBatch>;
}

/** What a reader starts from: the decoded beginning of the file, and all that was asked for. */
export interface SourceText {
  options: ReadOptions;
  /** How messages call the file. */
  label: string;
  encoding: string;
  head: string;
  /** The head is the whole file. */
  whole: boolean;
}

export function emptyBatch(): StatementBatch {
  return { rows: [], problems: [], notices: [] };
}
