import { type Command, Option } from 'commander';
import { UsageError } from '#cli/errors.ts';
import { LIST_FORMATS } from '#cli/formats.ts';
import type { Host } from '#cli/host.ts';
import { type Io, print, say } from '#cli/io.ts';
import type { Layout } from '#cli/table.ts';
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
  /** Left out of a narrow table after those that are shown whole. */
  kept?: true;
}

export interface Listing<Row> {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** One row in JSON; default: the columns. */
  present?: (row: Row) => unknown;
  /** Said when there is nothing to list. */
  empty: string;
}

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
  const format = formatOf(host);
  if (format === 'json' || (format === 'yaml' && rows.length === 0)) {
    return printJson(host, rows.map(present));
  }
  if (rows.length === 0) say(io, empty);
  await printRows(host, listing, { header: command.header, layout: { widths: [] } });
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
  const state: Printing = { header: command.header, layout: { widths: [] } };
  return (rows) => printRows(host, { ...listing, rows }, state);
}

function formatOf({ flags }: Host): string {
  return flags.json ? 'json' : (flags.format ?? 'table');
}

interface Printing {
  /** Whether the heading is still to come. */
  header: boolean;
  layout: Layout;
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
  if (format === 'yaml') return printJson(host, rows.map(present));
  if (format === 'csv') return printCsv(host, header, listing);

  const visible = columns.filter(({ detail }) => !detail);
  const heading = visible.map(({ key, header }) => header ?? key.replaceAll('_', ' ').toUpperCase());
  const body = rows.map((row) => visible.map((column) => oneLine(cellText(column, row))));
  if (io.results.isTTY) {
    const { alignedTable } = await import('#cli/table.ts');
    const { layout } = state;
    print(io, alignedTable(io, { heading: header ? heading : [], body, columns: visible, layout }));
    if (header) tellLeftOut(io, heading, layout);
    return;
  }
  for (const cells of header ? [heading, ...body] : body) print(io, cells.join('\t'));
}

function tellLeftOut(io: Io, heading: readonly string[], { shown = [] }: Layout): void {
  const missing = shown.length === 0 ? [] : heading.filter((_, index) => !shown.includes(index));
  if (missing.length === 0) return;
  say(io, `No room for ${missing.join(', ')}; a wider terminal, --json or --format csv shows all.`);
}

/** Prints one thing: as a document with --json or --format, else `label  value` lines. */
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

/** One JSON document; YAML where --format says so. */
export function printJson(host: Host, value: unknown): void {
  print(host.io, host.document(value));
}

/** The result of a command that changes something: a document with --json, else nothing but what is worth piping. */
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
