import { type Command, Option } from 'commander';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { print, say } from '#cli/io.ts';
import { csvRecord } from '#src/kernel/csv.ts';
import { oneLine, safeJson } from '#src/kernel/safe-text.ts';

export type Cell = string | number | boolean | null | undefined;

export interface Column<Row> {
  /** snake_case: the key in JSON and the heading in CSV; in tables in capitals, unless `header` says otherwise. */
  key: string;
  header?: string;
  value: (row: Row) => Cell;
  /** What people read in a table, where that differs from the value. */
  text?: (row: Row) => string;
  align?: 'right';
  /** In JSON and CSV only. */
  detail?: true;
  /** Never cut short to fit the terminal. */
  whole?: true;
}

export interface Listing<Row> {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** One row in JSON; default: the columns. */
  present?: (row: Row) => unknown;
  /** Said when there is nothing to list. */
  empty: string;
}

/** What `--format` of a list may be; `financectl help formats` prints this table. */
export const LIST_FORMATS = {
  table: 'aligned columns on a terminal; tab-separated and never cut short anywhere else',
  json: 'one JSON array; the same as --json',
  ndjson: 'one JSON object per line',
  csv: 'RFC 4180 with a heading; text that begins like a formula gets a leading apostrophe',
} as const;

/** The options every list has. */
export function listOptions(command: Command): Command {
  return command
    .addOption(new Option('--format <format>', 'how the list is written').choices(Object.keys(LIST_FORMATS)))
    .option('--no-header', 'no heading line in tables and CSV');
}

/** Prints a list in the format the flags ask for. */
export async function printList<Row>(
  host: Host,
  command: { header: boolean },
  listing: Listing<Row>,
): Promise<void> {
  const { io } = host;
  const { rows, columns, empty } = listing;
  const present = listing.present ?? ((row: Row) => presentRow(columns, row));
  if (formatOf(host) === 'json') return print(io, safeJson(rows.map(present), 2));
  if (rows.length === 0) say(io, empty);
  await printRows(host, listing, { header: command.header, widths: [] });
}

/** A list that goes on: each call of what it answers prints more rows below those before. JSON cannot do that. */
export function growingList<Row>(
  host: Host,
  command: { header: boolean },
  listing: Omit<Listing<Row>, 'rows' | 'empty'>,
): (rows: readonly Row[]) => Promise<void> {
  if (formatOf(host) === 'json') {
    throw new UsageError(
      'one JSON document cannot go on and on',
      '--format ndjson writes a JSON object per line.',
    );
  }
  const state = { header: command.header, widths: [] };
  return (rows) => printRows(host, { ...listing, rows }, state);
}

function formatOf({ flags }: Host): string {
  return flags.json ? 'json' : (flags.format ?? 'table');
}

interface Printing {
  /** Whether the heading is still to come. */
  header: boolean;
  widths: number[];
}

async function printRows<Row>(
  host: Host,
  listing: Omit<Listing<Row>, 'empty'>,
  state: Printing,
): Promise<void> {
  const { io } = host;
  const { rows, columns } = listing;
  const format = formatOf(host);
  if (rows.length === 0 && format !== 'csv') return;
  const { header } = state;
  state.header = false;

  const present = listing.present ?? ((row: Row) => presentRow(columns, row));
  if (format === 'ndjson') return print(io, rows.map((row) => safeJson(present(row))).join('\n'));
  if (format === 'csv') return printCsv(host, header, listing);

  const visible = columns.filter(({ detail }) => !detail);
  const heading = visible.map(({ key, header }) => header ?? key.replaceAll('_', ' ').toUpperCase());
  const body = rows.map((row) => visible.map((column) => oneLine(cellText(column, row))));
  if (io.results.isTTY) {
    const { alignedTable } = await import('#cli/table.ts');
    return print(
      io,
      alignedTable(io, { heading: header ? heading : [], body, columns: visible, widths: state.widths }),
    );
  }
  for (const cells of header ? [heading, ...body] : body) print(io, cells.join('\t'));
}

/** Prints one thing: its JSON with --json, else `label  value` lines. */
export function printFields(
  host: Host,
  fields: readonly [label: string, value: Cell][],
  json: unknown,
): void {
  if (host.flags.json) {
    printJson(host, json);
    return;
  }
  const width = Math.max(...fields.map(([label]) => label.length));
  for (const [label, value] of fields) {
    if (value !== undefined) print(host.io, `${label.padEnd(width)}  ${oneLine(shown(value))}`);
  }
}

export function printJson(host: Host, value: unknown): void {
  print(host.io, safeJson(value, 2));
}

/** The result of a command that changes something: JSON with --json, else nothing but what is worth piping. */
export function printResult(host: Host, json: unknown, plain?: string): void {
  if (host.flags.json) printJson(host, json);
  else if (plain !== undefined) print(host.io, oneLine(plain));
}

export function presentRow<Row>(columns: readonly Column<Row>[], row: Row): Record<string, Cell> {
  return Object.fromEntries(columns.map(({ key, value }) => [key, value(row) ?? null]));
}

function printCsv<Row>({ io }: Host, header: boolean, { rows, columns }: Omit<Listing<Row>, 'empty'>): void {
  if (header) print(io, columns.map(({ key }) => key).join(','));
  for (const row of rows) {
    print(io, csvRecord(columns.map(({ value }) => value(row))));
  }
}

function cellText<Row>({ value, text }: Column<Row>, row: Row): string {
  return text ? text(row) : shown(value(row));
}

function shown(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
